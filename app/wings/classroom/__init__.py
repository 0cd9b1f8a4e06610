"""Tasks of a teacher's own: commands that make, check and grade them, and a part of Learn."""
