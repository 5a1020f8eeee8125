"""Hosted bots: programs on this machine, how they are found, started, sandboxed, limited and ended."""

import os

# Children are started beside a gRPC server; its fork handlers would only get in their way. Read when grpc is imported.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
