"""Folders of pictures: listed, measured, decoded, kept in a cache, augmented."""
