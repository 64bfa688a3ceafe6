"""SEE IT WORK: samples of a GPU, and what held a training back."""
