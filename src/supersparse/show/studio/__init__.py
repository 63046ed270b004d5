"""The studio: the whole way from a table to a card in a browser on this machine."""
