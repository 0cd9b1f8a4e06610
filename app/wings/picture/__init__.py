"""The picture of a network on pages."""
