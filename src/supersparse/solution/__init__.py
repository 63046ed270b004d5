"""What an answer is: stop reasons, claims, the trace, and the verified solution."""
