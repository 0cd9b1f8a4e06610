"""What a training would need on several GPUs or machines: memory of each, steps per second."""
