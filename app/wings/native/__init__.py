"""Compiled exports: the Export page and `layerloom export` of the base list all formats."""
