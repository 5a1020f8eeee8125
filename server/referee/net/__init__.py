"""The referee on the network: gRPC services, sessions, authentication."""
