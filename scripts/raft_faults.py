"""The part `faults` of raft_check.py: what must not go well, and how a node says so. Each fault is a function that answers what was seen, or
raises Failure."""
