"""Lessons: their part of the Learn page, their panel on the other pages, their way in on Start."""
