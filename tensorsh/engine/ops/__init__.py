"""The operators, one file a family. Importing a family enters its operators in the table."""
