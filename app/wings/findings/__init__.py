"""What in a data set leads to a wrong model: a command, a card on Data, words beside verdicts."""
