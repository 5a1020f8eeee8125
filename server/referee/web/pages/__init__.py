"""The pages, drawn on the server: they work without JavaScript, and live parts are replaced by the client."""
