"""Two versions of a project as one drawing, and the versions it had: commands and pages."""
