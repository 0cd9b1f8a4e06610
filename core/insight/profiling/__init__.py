"""What training steps cost, measured: time by block and pass, memory by what it holds."""
