"""The part of the Learn page that shows the lessons."""

from app.wings.lessons import course_page

PART, ORDER = "Lessons", 0
show = course_page.show
whole_page = course_page.whole_page
