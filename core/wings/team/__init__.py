"""Several people on one project: two versions of it as one drawing, and the versions it had."""
