"""A seat for a person: unrated matches against house bots, in the browser."""
