"""What the page reads like without a project and with one."""

WITHOUT_PROJECT = {"sweeps": "No project is open yet."}
WITH_PROJECT = {"sweeps": "New sweep"}
AT_FIRST_SIGHT = {"sweeps": (18, 250)}
