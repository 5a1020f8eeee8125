"""The view of stop_me_go."""
