"""Referee: a tournament engine for bot competitions."""

import os

# Children of a process that holds a gRPC server crash now and then unless this is set before grpc is first imported.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

__version__ = "0.1.0"
