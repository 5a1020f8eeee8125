"""Referee: a tournament engine for bot competitions."""

import os

import arena  # noqa: F401 - chooses how gRPC waits for the network, before grpc is first imported

# Children of a process that holds a gRPC server crash now and then unless this is set before grpc is first imported.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
# gRPC's own lines about every failed handshake would stand around the one that says what to do.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

__version__ = "0.1.0"
