"""Parts of Layerloom that can be left out, one folder each. Found by `app.wing`."""
