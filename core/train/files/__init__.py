"""Files that train by themselves as a run does, a script or a notebook: checked text, no torch."""
