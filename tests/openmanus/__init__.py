"""What users of OpenManus reported, each row as a test of its own; the numbers are issues of that project."""
