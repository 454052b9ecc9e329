"""What runs inside the walls: standard library only until a cell asks for more."""
