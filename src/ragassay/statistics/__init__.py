"""Statistics over queries: intervals, resampling and paired tests. Plain functions over numpy arrays, no state.

Import the modules themselves; this package imports nothing, because SciPy costs time to load.
"""
