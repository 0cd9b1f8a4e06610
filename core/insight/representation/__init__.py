"""Representations: how well the values of each block separate the classes."""
