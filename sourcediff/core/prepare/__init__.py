"""What makes a program in the core form ready to be derived: each file takes a program and gives one."""
