"""Us beside our peers: each side in an environment and a process of its own, in turn, in one run."""
