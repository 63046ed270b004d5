"""What is asked, frozen: rows, coefficient sets, penalties, and the exact objective."""
