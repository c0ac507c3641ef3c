"""Training: a loop that can be stopped anywhere and goes on as if it had not been."""
