"""Folders that serve a network: a server of its own with a Dockerfile, and a Triton repository."""
