"""The commands of the wing, typed where somebody put files called like modules."""

WALK = {"class": ("class", "add", "group", "ann")}
