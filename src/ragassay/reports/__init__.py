"""A run as people read it: terminal, Markdown, HTML, JSON, notebook. Nothing here computes a metric."""
