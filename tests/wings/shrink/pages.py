"""What the page reads like without a project and with one."""

WITHOUT_PROJECT = {"shrink": "No project is open yet."}
WITH_PROJECT = {"shrink": "Train the network first"}
