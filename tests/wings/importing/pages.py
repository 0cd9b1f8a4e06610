"""What the page reads like without a project and with one."""

WITHOUT_PROJECT = {"import": "Import a model you already have"}
WITH_PROJECT = WITHOUT_PROJECT
