"""Metrics: pure functions from evidence matrices to one fraction per query, and from fractions to estimates."""
