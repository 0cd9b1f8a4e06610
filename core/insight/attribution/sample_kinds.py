"""What samples look like to a method that explains one."""

PICTURE, TOKENS, ROW, SERIES = "picture", "tokens", "row", "series"
EVERY = (PICTURE, TOKENS, ROW, SERIES)
