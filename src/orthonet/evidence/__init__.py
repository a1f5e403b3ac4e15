"""What every source (a layer, words, dense features) says for a partition of the nodes, in nats, without labels."""
