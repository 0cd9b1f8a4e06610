"""What the page reads like without a project and with one."""

WITHOUT_PROJECT = {"learn": "Learn"}
WITH_PROJECT = {"learn": "Learn"}
