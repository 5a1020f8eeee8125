"""The view of encore, version 1: `encore_pb2.View`."""
