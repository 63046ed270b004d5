"""Reading what the user gives for a problem into exact numbers."""
