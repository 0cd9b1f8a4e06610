"""Small experiments on the open drawing: the command, and their part of the Learn page."""
