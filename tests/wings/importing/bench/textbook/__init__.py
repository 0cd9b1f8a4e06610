"""Sixty small modules as books, official examples and homework write them, in our own words.

Faithful in structure and in habits: how the parts are kept, called and named.
"""
