"""The HTTP API and the page: routes, bodies of responses, errors."""
