"""The view of stop, version 1: `stop_pb2.View`."""
