"""Row-partitioned work: each process holds the rows of its own nodes, and all of them find what one would find alone.

rows            who has which nodes; sums, samples and random draws that do not depend on the number of processes
halo            values of nodes of other processes that own edges lead to
operators       rows of symmetric matrices, by their products
relations       layers and two-mode relations of own rows, and the matrices that are made of them
eigenvectors    lowest eigenvectors, each process with its rows of them
mean            the compressed mean of the layers in a basis of which each process has its rows
sources         sources of evidence: clusters x clusters are counted together, nodes are scored at home
mending         moves of own nodes
search          proposals, weights, and the choice
confidence      probabilities of own nodes
"""
