"""Interfaces that people know from other tools. They fill matrices and call the metrics of the dictionary."""
