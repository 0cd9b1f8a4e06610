"""A data set as a Python class of the user's own."""
