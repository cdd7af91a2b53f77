"""`rather learn --method ideal-point` and `network`: a utility that is not linear, as scores of sampled people."""

from pathlib import Path
from typing import TYPE_CHECKING

from rather.cli.console import say

if TYPE_CHECKING:
    from rather.learn.ratings import Ratings
    from rather.learn.utility_models import LearntUtility

# People whose scores are written, at most: each is a particle of the belief.
MOST_PEOPLE = 1000


def learn_scores(
    ratings: "Ratings", method: str, out: Path, *, dimensions: int, epochs: int, held_out: float, seed: int
) -> None:
    """Measure on held-out ratings beside the linear model, learn from all ratings, and write the scores of people."""
    from rather.errors import InvalidInputError
    from rather.formats.scores import save_scores

    if out.suffix != ".npz":
        raise InvalidInputError(f"--out of --method {method} must end in .npz, got {out.name!r}: it holds scores.")
    if held_out > 0:
        _measure(ratings, method, dimensions, epochs, held_out, seed)
    learnt = _learnt(ratings, method, dimensions, epochs, seed, "learning")
    scores = learnt.scores(MOST_PEOPLE, seed)
    path = save_scores(scores, out, ratings.item_ids, ratings.labels)
    say(f"wrote {path}: scores of {len(scores):,} items for {scores.shape[1]:,} of {ratings.n_users:,} users")
    say(f"next: rather ask {out}")


def _measure(ratings: "Ratings", method: str, dimensions: int, epochs: int, held_out: float, seed: int) -> None:
    from rather.learn.metrics import rmse

    seen, rest = ratings.split(held_out, seed)
    errors = [
        rmse(_learnt(seen, each, dimensions, epochs, seed, f"measuring {each}"), rest) for each in (method, "linear")
    ]
    mean = float(((rest.values - seen.values.mean()) ** 2).mean() ** 0.5)
    say(f"held-out RMSE: {errors[0]:.4f}   (linear: {errors[1]:.4f}, always the mean: {mean:.4f})")


def _learnt(ratings: "Ratings", method: str, dimensions: int, epochs: int, seed: int, what: str) -> "LearntUtility":
    from rather.cli.progress import epoch_progress
    from rather.learn.utility_models import learn_utility

    with epoch_progress(what) as on_epoch:
        return learn_utility(ratings, method, dimensions=dimensions, epochs=epochs, seed=seed, on_epoch=on_epoch)
