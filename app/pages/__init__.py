"""One file per page of the workbench; each has `render()`."""
