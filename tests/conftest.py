"""Everything here runs with gRPC set up as Referee does it, which has to happen before grpc is first imported."""

import arena  # noqa: F401
