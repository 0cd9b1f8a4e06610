"""What is typed of this wing, where files lie with the names of all modules."""

WALK = {
    "history": ("history", "net.loom.json"),
    "report": ("report", "{run}", "-o", "net_report.html"),
}
