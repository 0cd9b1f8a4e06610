"""The part of the Learn page that shows tasks."""

from app.wings.classroom import task_list, task_view

PART, ORDER = "Tasks", 2
show = task_list.show
whole_page = task_view.whole_page
