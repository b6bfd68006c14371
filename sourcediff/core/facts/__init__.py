"""What is known of a program in the core form: one analysis a file, a program in, a mapping out."""
