"""Files that hold a prior learnt from people's answers: it belongs to the columns of a table, not to its rows.

The file holds the prior's numbers, what its dimensions mean, and how it was learnt. Nothing in it is about one person.
"""

import hashlib
import json
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch

from rather.caching.whole_files import written_whole
from rather.errors import CatalogChangedError, InvalidInputError
from rather.formats.opened import Opened
from rather.model.belief import Belief
from rather.model.carried_priors import carried_prior
from rather.model.catalog import Catalog
from rather.model.priors import Prior

FORMAT = "rather prior 1"

# Items whose vectors are kept where dimensions have no names, to tell that they still mean the same.
WITNESSES = 64


@dataclass(frozen=True, eq=False)
class LearntPrior:
    """A prior, and what its dimensions mean.

    Attributes:
        prior: Of a person's utility vector.
        space: What the dimensions mean, as `Catalog.space_description` says.
        witnesses: Where they have no names, the vectors of some items by their ids; else empty.
        about: How it was learnt, as plain data.
        name: Of the file.
    """

    prior: Prior
    space: dict[str, Any] = field(repr=False)
    witnesses: dict[str, list[float]] = field(default_factory=dict, repr=False)
    about: dict[str, Any] = field(default_factory=dict, repr=False)
    name: str = "the prior"

    @property
    def version(self) -> str:
        """A short name by content."""
        digest = hashlib.blake2b(self.prior.content_hash.encode(), digest_size=6)
        digest.update(json.dumps([self.prior.temperature, self.space], sort_keys=True).encode())
        return digest.hexdigest()

    def applied(self, opened: Opened, *, particles: int = 1000, seed: int = 0) -> Opened:
        """The catalogue with this prior in place of its own.

        Raises `CatalogChangedError` where the dimensions have another meaning.

        Args:
            opened: A catalogue and the belief about it; its items and prices may be others than those learnt with.
            particles: How many particles to draw.
            seed: Of these draws.
        """
        catalog, belief = opened
        if belief.prior is None:
            raise InvalidInputError(
                f"{self.name} cannot be used here: a belief of sampled people has no density that it could replace."
            )
        try:
            translation = catalog.space.translation(self.space)
        except CatalogChangedError as error:
            raise CatalogChangedError(f"{self.name} was learnt about another catalogue. {error}") from None
        described = catalog.dimensions if translation.matrix is None else translation.matrix.shape[1]
        if described != self.prior.centres.shape[1]:
            raise InvalidInputError(f"{self.name} is damaged: it describes other dimensions than it has numbers for.")
        self._validate_witnesses(catalog)
        prior = carried_prior(self.prior, translation, belief.prior)
        return Opened(catalog, Belief.from_prior(prior, particles=particles, seed=seed))

    def _validate_witnesses(self, catalog: Catalog) -> None:
        if not self.witnesses:
            return
        found = {id: row for id in self.witnesses if (row := catalog.find_written(id)) is not None}
        if not found:
            raise CatalogChangedError(
                f"{self.name} was learnt about vectors whose dimensions have no names, and of the items that could "
                f"tell whether they still mean the same none is left. Learn it again."
            )
        then = torch.tensor([self.witnesses[id] for id in found])
        now = catalog.vectors(torch.tensor(list(found.values())))
        if not torch.allclose(then, now, rtol=1e-3, atol=1e-3 * float(now.abs().max())):
            raise CatalogChangedError(
                f"{self.name} was learnt about other vectors of the same items: their dimensions mean something else "
                "now. Learn it again."
            )


def learnt_prior(prior: Prior, catalog: Catalog, about: dict[str, Any] | None = None) -> LearntPrior:
    """A prior together with what its dimensions mean.

    Args:
        prior: Over the dimensions of the catalogue.
        catalog: Whose people it is about.
        about: How it was learnt, as plain data; nothing about single people.
    """
    witnesses = {}
    if not catalog.space.is_named:
        rows = list(range(0, len(catalog), max(1, len(catalog) // WITNESSES)))[:WITNESSES]
        vectors = catalog.vectors(torch.tensor(rows)).tolist()
        witnesses = {str(catalog.ids[row]): vector for row, vector in zip(rows, vectors, strict=True)}
    return LearntPrior(prior, catalog.space_description, witnesses, dict(about or {}))


def save_prior(learnt: LearntPrior, path: str | Path) -> Path:
    """Write a prior to an `.npz` file, for `--prior` of every command; returns its path.

    Args:
        learnt: What `learnt_prior` returned.
        path: Ends in `.npz`.
    """
    path = Path(path)
    if path.suffix != ".npz":
        raise InvalidInputError(f"A prior is written to a file that ends in .npz, got {path.name!r}.")
    prior = learnt.prior
    try:
        with written_whole(path) as draft, draft.open("wb") as file:
            np.savez_compressed(
                file,
                format=np.array(FORMAT),
                centres=prior.centres.numpy(),
                log_weights=prior.log_weights.numpy(),
                cholesky=prior.cholesky.numpy(),
                scales=prior.scales.numpy(),
                temperature=np.array(np.nan if prior.temperature is None else prior.temperature),
                space=np.array(json.dumps(learnt.space)),
                witnesses=np.array(json.dumps(learnt.witnesses)),
                about=np.array(json.dumps(learnt.about)),
            )
    except OSError as error:
        raise InvalidInputError(f"Cannot write {path}: {error.strerror}.") from None
    return path


def load_prior(path: str | Path) -> LearntPrior:
    """The prior of a file that `save_prior` wrote."""
    path = Path(path)
    try:
        with np.load(path, allow_pickle=False) as file:
            if "format" not in file or str(file["format"]) != FORMAT:
                raise InvalidInputError(f"{path.name} is no prior that `rather learn answers` wrote.")
            return _read(file, path.name)
    except OSError as error:
        raise InvalidInputError(f"Cannot read {path}: {error.strerror or error}.") from None
    except InvalidInputError:
        raise
    except (zipfile.BadZipFile, KeyError, TypeError, ValueError, EOFError):
        raise InvalidInputError(f"{path.name} is no prior that `rather learn answers` wrote, or is damaged.") from None


def _read(file: Any, name: str) -> LearntPrior:
    parts = {each: torch.from_numpy(file[each].astype(np.float32)) for each in ("centres", "log_weights", "cholesky")}
    scales, temperature = torch.from_numpy(file["scales"].astype(np.float32)), float(file["temperature"])
    c, d = parts["centres"].shape
    shapes = (parts["log_weights"].shape, scales.shape, parts["cholesky"].shape)
    numbers = (*parts.values(), scales)
    if shapes != ((c,), (c,), (d, d)) or not all(bool(each.isfinite().all()) for each in numbers):
        raise ValueError("shapes and numbers of a prior")
    if not bool((parts["cholesky"].diagonal() > 0).all()) or not bool((scales > 0).all()):
        raise ValueError("a prior has a density")
    prior = Prior(**parts, scales=scales, temperature=None if np.isnan(temperature) else temperature)
    space, witnesses, about = (json.loads(str(file[each])) for each in ("space", "witnesses", "about"))
    if not all(isinstance(each, dict) for each in (space, witnesses, about)):
        raise ValueError("what the dimensions mean")
    return LearntPrior(prior, space, witnesses, about, name)
