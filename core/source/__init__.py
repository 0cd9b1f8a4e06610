"""The source of a model: checked text, no torch."""
