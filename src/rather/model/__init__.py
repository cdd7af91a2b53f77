"""Plain values: catalogues, beliefs, priors, response models, questions."""
