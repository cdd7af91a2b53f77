"""The HTTP edge: routes, schemas, pages, problems."""
