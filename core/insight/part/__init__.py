"""A part of a network by itself: run, measured, compared with the whole, exported as a drawing.

Runs in a worker process, with torch. All numbers come from torch running the generated source.
"""
