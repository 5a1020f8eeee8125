"""The hall: what is played in this process and who is there, without any network."""
