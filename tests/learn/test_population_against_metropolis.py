"""The hierarchical model against a long random-walk Metropolis run that is written from its definition alone."""

import math

import numpy as np
import torch

from rather.learn import Conversation
from rather.learn.hierarchical_bayes import Sweeps, fit_population
from rather.model.belief import Evidence
from rather.model.priors import gaussian_prior
from rather.model.responses import Logistic

RESPONSE = Logistic(0.5, none_utility=0.2, tie=0.5)
FACTORS = np.array([0.25, 0.5, 1.0, 2.0, 4.0])
# Two dimensions that the catalogue's prior takes to go together, and one by itself.
COVARIANCE = torch.tensor([[1.0, 0.6, 0.0], [0.6, 1.0, 0.0], [0.0, 0.0, 2.0]])
ROOT = torch.linalg.cholesky(COVARIANCE)
PARTS = np.array([0, 0, 1])
D = 3
FREEDOMS = D + np.array([4, 10, 30, 100])
OFFSET = -0.5 * np.log(0.8 * np.exp(2 * 0.3**2) + 0.2 * np.exp(2 * 0.8**2))
BETWEEN, SPREAD = 0.5 * np.log(0.35) - 0.64, 0.5 * np.log(0.65) + OFFSET
PEOPLE, ANSWERS = 8, 5

# Answers that are all but certain hardly tell how large utilities are: that takes the sampler long, and only that.
LONG = Sweeps(count=900, warm_up=100, kept=200)


def told():
    """Answers of people who agree about the last dimension, which counts far more than the prior expects."""
    generator = torch.Generator().manual_seed(0)
    users = torch.tensor([0.3, -0.3, 3.0]) + 0.5 * torch.randn(PEOPLE, D, generator=generator)
    found = []
    for user in users:
        evidence = []
        for _ in range(ANSWERS):
            vectors = torch.randn(2, D, generator=generator)
            odds = RESPONSE.log_probabilities((vectors @ user)[:, None])[:, 0].exp()
            evidence.append(Evidence(vectors, int(torch.multinomial(odds, 1, generator=generator)), RESPONSE))
        found.append(Conversation(tuple(evidence)))
    return found


def squared(apart):
    return (apart**2).sum(axis=-1)


class Metropolis:
    """Many chains at once over everything that is unknown, one block after the other; Q is `A A'`, A triangular."""

    def __init__(self, conversations, chains, seed):
        self.rng = np.random.default_rng(seed)
        self.x = np.array([[(e.vectors @ ROOT).tolist() for e in each.evidence] for each in conversations])
        self.row = np.array([[e.row for e in each.evidence] for each in conversations])
        self.y = self.rng.standard_normal((chains, PEOPLE, D))
        self.noise = np.full((chains, PEOPLE), 2)
        self.usage = np.zeros((chains, 2))
        self.shares = np.full((chains, 3), 1 / 3)
        self.level = {
            "mean": np.zeros((chains, D)),
            "reach": np.full((chains, 2), BETWEEN),
            "spread": np.full((chains, 2), SPREAD),
            "size": np.zeros((chains, 1)),
            "between": np.full((chains, 1), BETWEEN),
            "diagonal": np.zeros((chains, D)),
            "below": np.zeros((chains, D)),
            "freedom": np.full((chains, 1), 1),
        }

    def of_answers(self, y, noise, usage=None):
        """Log-probability of everybody's answers, `(chains, people)`."""
        scale = RESPONSE.temperature * FACTORS[noise][:, :, None]
        utilities = np.einsum("paod,cpd->cpao", self.x, y)
        first, second = utilities[..., 0] / scale, utilities[..., 1] / scale
        usage = self.usage if usage is None else usage
        none = RESPONSE.none_utility / scale + usage[:, 0, None, None]
        same = (first + second) / 2 + np.log(RESPONSE.tie) + usage[:, 1, None, None]
        rows = np.stack(np.broadcast_arrays(first, second, none, same))
        chosen = np.take_along_axis(rows, np.broadcast_to(self.row, rows.shape[1:])[None], axis=0)[0]
        return (chosen - np.logaddexp.reduce(rows, axis=0)).sum(axis=2)

    def root(self, level):
        """A, `(chains, D, D)`."""
        root = np.zeros((len(level["mean"]), D, D))
        root[:, range(D), range(D)] = np.exp(level["diagonal"])
        root[:, [1, 2, 2], [0, 0, 1]] = level["below"]
        return root

    def of_people(self, y, level):
        """Log-density of `y ~ N(mean, D A A' D)`, `(chains, people)`."""
        log_scale = level["spread"][:, PARTS]
        apart = (y - level["mean"][:, None]) / np.exp(log_scale)[:, None]
        inverse = np.linalg.inv(self.root(level))
        return (
            -0.5 * squared(np.einsum("cij,cpj->cpi", inverse, apart))
            - (log_scale.sum(axis=1) + level["diagonal"].sum(axis=1))[:, None]
        )

    def of_level(self, level):
        """Density of what people are drawn from, with Q inverse Wishart, `(chains,)`."""
        reach = level["reach"][:, PARTS]
        found = -reach.sum(axis=1) - 0.5 * squared(level["mean"] / np.exp(reach))
        for apart in (
            level["reach"] - OFFSET - level["between"] - level["size"],
            level["spread"] - SPREAD - level["size"],
        ):
            near = 0.8 / 0.3 * np.exp(-0.5 * (apart / 0.3) ** 2)
            far = 0.2 / 0.8 * np.exp(-0.5 * (apart / 0.8) ** 2)
            found += np.log(near + far).sum(axis=1)
        found += -0.5 * squared(level["size"] + 0.16) / 0.4**2
        found += -0.5 * squared(level["between"] - BETWEEN) / 0.8**2
        nu = FREEDOMS[level["freedom"][:, 0]].astype(float)
        inverse = np.linalg.inv(self.root(level))
        gammas = np.array([sum(math.lgamma((each - i) / 2) for i in range(D)) for each in FREEDOMS])
        found += 0.5 * nu * D * np.log((nu - D - 1) / 2) - gammas[level["freedom"][:, 0]]
        found += -(nu + D + 1) * level["diagonal"].sum(axis=1) - 0.5 * (nu - D - 1) * (inverse**2).sum(axis=(1, 2))
        # Of Q in terms of A and the logarithms of its diagonal.
        return found + level["diagonal"] @ (D + 1.0 - np.arange(D))

    def accepted(self, gain):
        return np.log(self.rng.random(gain.shape)) < gain

    def step(self):
        rng, chains = self.rng, len(self.y)
        now, before = self.of_answers(self.y, self.noise), self.of_people(self.y, self.level)
        # Vectors, each of a person.
        for size in (0.2, 0.8):
            y = self.y + size * rng.standard_normal(self.y.shape)
            new, after = self.of_answers(y, self.noise), self.of_people(y, self.level)
            yes = self.accepted(new - now + after - before)
            self.y, now = np.where(yes[..., None], y, self.y), np.where(yes, new, now)
            before = np.where(yes, after, before)
        # Their noise.
        noise = rng.integers(5, size=self.noise.shape)
        shares = np.stack([self.shares[:, abs(i - 2)] / (1 if i == 2 else 2) for i in range(5)], axis=1)
        new = self.of_answers(self.y, noise)
        prior = [np.log(np.take_along_axis(shares, each, axis=1)) for each in (noise, self.noise)]
        yes = self.accepted(new - now + prior[0] - prior[1])
        self.noise, now = np.where(yes, noise, self.noise), np.where(yes, new, now)
        counts = np.stack([(abs(self.noise - 2) == i).sum(axis=1) for i in range(3)], axis=1)
        gammas = rng.standard_gamma(counts + np.array([6.0, 3.0, 1.0]))
        self.shares = gammas / gammas.sum(axis=1, keepdims=True)
        # How readily they say "none" and "same".
        usage = self.usage + 0.4 * rng.standard_normal((chains, 2))
        new = self.of_answers(self.y, self.noise, usage)
        gain = (new - now).sum(axis=1) - 0.5 * (usage**2 - self.usage**2).sum(axis=1)
        yes = self.accepted(gain)[:, None]
        self.usage, now = np.where(yes, usage, self.usage), np.where(yes, new, now)
        # The population.
        steps = {"mean": 0.3, "reach": 0.5, "spread": 0.3, "size": 0.4, "between": 0.6, "diagonal": 0.2, "below": 0.2}
        density = before.sum(axis=1) + self.of_level(self.level)
        for name in (*steps, "freedom"):
            if name == "freedom":
                moved = rng.integers(len(FREEDOMS), size=(chains, 1))
            else:
                moved = self.level[name] + steps[name] * rng.standard_normal(self.level[name].shape)
            level = {**self.level, name: moved}
            new_density = self.of_people(self.y, level).sum(axis=1) + self.of_level(level)
            yes = self.accepted(new_density - density)
            self.level[name] = np.where(yes[:, None], moved, self.level[name])
            density = np.where(yes, new_density, density)
        # Everything is stretched together: log-densities gain the logarithm of the Jacobian.
        by = 0.15 * rng.standard_normal(chains)
        level = {
            name: values + by[:, None] if name in ("reach", "spread", "size") else values
            for name, values in self.level.items()
        }
        level["mean"] = self.level["mean"] * np.exp(by)[:, None]
        y = self.y * np.exp(by)[:, None, None]
        new = self.of_answers(y, self.noise).sum(axis=1) + self.of_people(y, level).sum(axis=1) + self.of_level(level)
        yes = self.accepted(new - now.sum(axis=1) - density + by * D * (PEOPLE + 1))
        self.y = np.where(yes[:, None, None], y, self.y)
        self.level = {name: np.where(yes[:, None], level[name], values) for name, values in self.level.items()}


def expected(conversations, chains=60, steps=1800):
    """Of each chain: the mean and mean squares of a new person, and the means of everybody."""
    run = Metropolis(conversations, chains, seed=3)
    root = ROOT.numpy()
    totals = np.zeros((chains, D + D * D + PEOPLE * D))
    for number in range(steps):
        run.step()
        if number >= steps // 4:
            level = run.level
            own = np.exp(level["spread"])[:, PARTS, None] * run.root(level)
            mean = level["mean"] @ root.T
            square = root @ own @ own.transpose(0, 2, 1) @ root.T + mean[:, :, None] * mean[:, None]
            totals += np.concatenate([mean, square.reshape(chains, -1), (run.y @ root.T).reshape(chains, -1)], axis=1)
    return totals / (steps - steps // 4)


def test_the_population_is_that_of_a_long_metropolis_run():
    conversations = told()
    of_chains = expected(conversations)
    reference, error = of_chains.mean(axis=0), of_chains.std(axis=0) / len(of_chains) ** 0.5
    found = []
    for seed in range(4):
        people = fit_population(conversations, gaussian_prior(torch.zeros(D), COVARIANCE), seed=seed, sweeps=LONG)
        mean, covariance = (each.numpy() for each in people.prior.moments)
        square = covariance + np.outer(mean, mean)
        found.append(np.concatenate([mean, square.ravel(), people.draws.mean(dim=1).numpy().ravel()]))
    runs = np.array(found)
    error = np.hypot(error, runs.std(axis=0, ddof=1) / len(runs) ** 0.5)
    # Nothing here is at the prior's own values.
    assert reference[2] > 1.0
    apart = np.abs(runs.mean(axis=0) - reference)
    # Of 36 numbers with three degrees of freedom each, one run in fourteen would be further off by chance if they were
    # independent.
    assert (apart < 10 * error).all()
    assert (apart / np.maximum(1, np.abs(reference)) < 0.2).all()
