"""Data sets that come with Layerloom or torchvision: the catalogue, formulas, downloads."""
