"""`python -m orthonet`, which is also how `torchrun -m orthonet` starts the command line in each process."""

from orthonet.cli import main

if __name__ == "__main__":
    main()
