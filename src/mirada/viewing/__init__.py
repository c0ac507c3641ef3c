"""What attention looks like: pictures of patterns, and worked examples."""
