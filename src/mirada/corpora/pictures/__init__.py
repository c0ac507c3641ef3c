"""Pictures: read from folders, tables, idx and npz files, brought to one size, and stored as memory-mapped bytes."""
