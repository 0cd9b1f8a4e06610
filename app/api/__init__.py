"""Routes the components poll: live curves without a rerun of the page."""
