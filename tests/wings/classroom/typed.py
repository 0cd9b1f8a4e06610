"""What is typed of this wing, where files lie with the names of all modules."""

TASK, HANDED_IN = "first.task.json", "net.loom.json"
WALK = {
    "task": ("task", "new", HANDED_IN, "-o", TASK),
    "grade": ("grade", HANDED_IN, "--task", TASK),
}
