"""What an installed Layerloom prints of its tasks."""

CODE = "from core.wings.classroom.ready import list_tasks; print(len(list_tasks()))"
PRINTED = "12"
