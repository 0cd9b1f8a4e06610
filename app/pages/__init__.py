"""The pages of the workbench: a package each, whose page.py has `render()`."""
