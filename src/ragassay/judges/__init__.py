"""Judges: what stands behind one protocol. They take and return records and know no matrix."""
