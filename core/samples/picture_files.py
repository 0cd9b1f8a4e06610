"""Which files are read as pictures, and how their numbers become brightness. No imports."""

FORMATS = ("JPEG", "PNG", "PPM", "BMP", "GIF", "TIFF", "WEBP")
"""What Pillow may take a file for, whatever its ending: an EPS it hands to Ghostscript to run."""
DEEP = (0.0, 65535.0)
"""Default values of black and white in pictures of 16 bits."""
