"""The view of stop_me_go, version 1: `stop_me_go_pb2.View`."""
