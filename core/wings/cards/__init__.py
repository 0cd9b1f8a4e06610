"""Cards: small experiments on the open drawing, each one declaration and one script. No torch here.

`card.py` defines a card, `catalogue.py` lists them, `text.py` writes the file that is
shown and executed, `run.py` executes it in a process of its own.
"""
