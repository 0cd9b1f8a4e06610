"""Explanations of predictions: which parts of a sample influence them, and how."""
