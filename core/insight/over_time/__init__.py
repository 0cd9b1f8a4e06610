"""A run over time: its weights as they were after each epoch, or as they are right now.

Runs in a worker process, with torch; `core/worker/weights_logger.py` writes what is read here.
"""
