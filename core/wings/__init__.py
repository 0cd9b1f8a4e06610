"""Parts of Layerloom that can be left out, one folder each. What shows them is in `app.wings`."""
