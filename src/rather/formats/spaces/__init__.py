"""Product spaces: catalogues of configurations that are never written down."""
