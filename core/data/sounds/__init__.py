"""Folders of sounds: which files, what their headers say, and what a network reads of them."""
