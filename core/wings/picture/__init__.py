"""A network as a picture for people: its name, its drawing and what it reached."""
