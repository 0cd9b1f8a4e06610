"""The commands of the wing, typed where somebody put files called like modules."""

WALK = {
    "task": ("task", "new", "net.loom.json", "-o", "net.task.json"),
    "grade": ("grade", "net.loom.json", "--task", "net.task.json"),
}
