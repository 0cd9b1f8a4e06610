"""What a data set is: its declaration, the settings of one's own files, and paths within bounds.

No torch here.
"""
