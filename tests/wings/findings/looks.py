"""What ways of looking of this wing refuse: a network whose weights are random says nothing."""

REFUSED = {"labels": "This network is not trained", "groups": "This network is not trained"}
