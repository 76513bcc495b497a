"""Everything that a person reads about a class in a browser. All text that comes from students is escaped."""
