"""What is typed of this wing, where files lie with the names of all modules."""

PROJECT, BUNDLE = "net.loom.json", "net.loom.zip"
WALK = {
    "bundle": ("bundle", PROJECT, "{run}", "-o", BUNDLE),
    "check": ("check", BUNDLE),
    "slice": ("slice", PROJECT, "--to", "relu1", "-o", "part.loom.zip"),
}
SERVERS = {"open": (("open", BUNDLE, "--no-browser"), "/_stcore/health")}
