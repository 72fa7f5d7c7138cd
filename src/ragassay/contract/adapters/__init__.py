"""Adapters of the contract for frameworks, one module each; none is imported until the application imports it."""
