"""Tables and pictures of what was clustered and how well."""
