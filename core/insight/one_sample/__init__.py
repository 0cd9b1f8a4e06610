"""One sample through a network as it is drawn: values, gradients, a training step, on every wire.

Runs in a worker process, with torch. All numbers come from torch running the generated source.
"""
