"""The view of flip7, version 1: `flip7_pb2.View`."""
