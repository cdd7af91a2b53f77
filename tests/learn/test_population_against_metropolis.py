"""The hierarchical model against a long random-walk Metropolis run that is written from its definition alone."""

import numpy as np
import torch

from rather.learn import Conversation
from rather.learn.hierarchical_bayes import fit_population
from rather.model.belief import Evidence
from rather.model.priors import gaussian_prior
from rather.model.responses import Logistic

RESPONSE = Logistic(0.5, none_utility=0.2, tie=0.5)
FACTORS = np.array([0.25, 0.5, 1.0, 2.0, 4.0])
TAUS = np.array([0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.85])
FREEDOMS = 1 + np.array([4, 10, 30, 100])
PEOPLE, ANSWERS = 8, 5


def told():
    """Answers of people in one dimension, whose taste is further out than the prior expects."""
    generator = torch.Generator().manual_seed(0)
    users = 1.2 + 0.5 * torch.randn(PEOPLE, generator=generator)
    found = []
    for user in users:
        evidence = []
        for _ in range(ANSWERS):
            vectors = torch.randn(2, 1, generator=generator)
            odds = RESPONSE.log_probabilities(vectors * user)[:, 0].exp()
            evidence.append(Evidence(vectors, int(torch.multinomial(odds, 1, generator=generator)), RESPONSE))
        found.append(Conversation(tuple(evidence)))
    return found


class Metropolis:
    """Many chains at once over everything that is unknown, one block after the other."""

    def __init__(self, conversations, chains, seed):
        self.rng = np.random.default_rng(seed)
        self.x = np.array([[e.vectors[:, 0].tolist() for e in each.evidence] for each in conversations])
        self.row = np.array([[e.row for e in each.evidence] for each in conversations])
        self.y = self.rng.standard_normal((chains, PEOPLE))
        self.noise = np.full((chains, PEOPLE), 2)
        self.mean, self.log_variance, self.log_size = np.zeros((3, chains))
        self.usage = np.zeros((chains, 2))
        self.tau, self.freedom = np.full(chains, 4), np.full(chains, 1)
        self.shares = np.full((chains, 3), 1 / 3)

    def of_answers(self, y, noise, log_size, usage=None):
        """Log-probability of everybody's answers, `(chains, people)`."""
        scale = RESPONSE.temperature * FACTORS[noise][:, :, None]
        utilities = (y * np.exp(log_size)[:, None])[:, :, None, None] * self.x
        first, second = utilities[..., 0] / scale, utilities[..., 1] / scale
        usage = self.usage if usage is None else usage
        none = RESPONSE.none_utility / scale + usage[:, 0, None, None]
        same = (first + second) / 2 + np.log(RESPONSE.tie) + usage[:, 1, None, None]
        rows = np.stack(np.broadcast_arrays(first, second, none, same))
        chosen = np.take_along_axis(rows, np.broadcast_to(self.row, rows.shape[1:])[None], axis=0)[0]
        return (chosen - np.logaddexp.reduce(rows, axis=0)).sum(axis=2)

    def of_people(self, y, mean, log_variance):
        return -0.5 * (log_variance[:, None] + (y - mean[:, None]) ** 2 / np.exp(log_variance)[:, None])

    def of_level(self, mean, log_variance, tau, freedom):
        """Density of the mean and of the logarithm of the variance, which is inverse gamma."""
        tau, shape = TAUS[tau], FREEDOMS[freedom] / 2
        rate = (FREEDOMS[freedom] - 2) * (1 - tau) / 2
        gammas = np.array([float(torch.lgamma(torch.tensor(each / 2.0))) for each in FREEDOMS])[freedom]
        inverse_gamma = shape * np.log(rate) - gammas - shape * log_variance - rate / np.exp(log_variance)
        return -0.5 * (np.log(tau) + mean**2 / tau) + inverse_gamma

    def accepted(self, gain):
        return np.log(self.rng.random(gain.shape)) < gain

    def step(self):
        rng, chains = self.rng, len(self.y)
        now = self.of_answers(self.y, self.noise, self.log_size)
        # Vectors, each of a person.
        y = self.y + 0.8 * rng.standard_normal(self.y.shape)
        new = self.of_answers(y, self.noise, self.log_size)
        gain = new - now + self.of_people(y, self.mean, self.log_variance)
        yes = self.accepted(gain - self.of_people(self.y, self.mean, self.log_variance))
        self.y, now = np.where(yes, y, self.y), np.where(yes, new, now)
        # Their noise.
        noise = rng.integers(5, size=self.noise.shape)
        shares = np.stack([self.shares[:, abs(i - 2)] / (1 if i == 2 else 2) for i in range(5)], axis=1)
        new = self.of_answers(self.y, noise, self.log_size)
        prior = [np.log(np.take_along_axis(shares, each, axis=1)) for each in (noise, self.noise)]
        yes = self.accepted(new - now + prior[0] - prior[1])
        self.noise, now = np.where(yes, noise, self.noise), np.where(yes, new, now)
        counts = np.stack([(abs(self.noise - 2) == i).sum(axis=1) for i in range(3)], axis=1)
        gammas = rng.standard_gamma(counts + np.array([6.0, 3.0, 1.0]))
        self.shares = gammas / gammas.sum(axis=1, keepdims=True)
        # The size of utilities.
        log_size = self.log_size + 0.3 * rng.standard_normal(chains)
        new = self.of_answers(self.y, self.noise, log_size)
        gain = (new - now).sum(axis=1) - 0.5 * ((log_size + 0.16) ** 2 - (self.log_size + 0.16) ** 2) / 0.4**2
        self.log_size = np.where(self.accepted(gain), log_size, self.log_size)
        # How readily they say "none" and "same".
        usage = self.usage + 0.4 * rng.standard_normal((chains, 2))
        gain = self.of_answers(self.y, self.noise, self.log_size, usage) - self.of_answers(
            self.y, self.noise, self.log_size
        )
        gain = gain.sum(axis=1) - 0.5 * (usage**2 - self.usage**2).sum(axis=1)
        self.usage = np.where(self.accepted(gain)[:, None], usage, self.usage)
        # The population.
        for mean_step, variance_step, jump in ((0.5, 0.0, False), (0.0, 0.7, False), (0.0, 0.0, True)):
            mean = self.mean + mean_step * rng.standard_normal(chains)
            log_variance = self.log_variance + variance_step * rng.standard_normal(chains)
            tau = rng.integers(len(TAUS), size=chains) if jump else self.tau
            freedom = rng.integers(len(FREEDOMS), size=chains) if jump else self.freedom
            gain = self.of_level(mean, log_variance, tau, freedom)
            gain = gain - self.of_level(self.mean, self.log_variance, self.tau, self.freedom)
            gain = gain + self.of_people(self.y, mean, log_variance).sum(axis=1)
            yes = self.accepted(gain - self.of_people(self.y, self.mean, self.log_variance).sum(axis=1))
            self.mean, self.log_variance = (
                np.where(yes, mean, self.mean),
                np.where(yes, log_variance, self.log_variance),
            )
            self.tau, self.freedom = np.where(yes, tau, self.tau), np.where(yes, freedom, self.freedom)


def expected(conversations, chains=100, steps=2400):
    """Of each chain: the mean of a new person, their mean square, and the means of everybody."""
    run = Metropolis(conversations, chains, seed=3)
    totals = np.zeros((chains, 2 + PEOPLE))
    for number in range(steps):
        run.step()
        if number >= steps // 4:
            size = np.exp(run.log_size)
            square = size**2 * (np.exp(run.log_variance) + run.mean**2)
            totals += np.concatenate([(size * run.mean)[:, None], square[:, None], size[:, None] * run.y], axis=1)
    return totals / (steps - steps // 4)


def test_the_population_is_that_of_a_long_metropolis_run():
    conversations = told()
    of_chains = expected(conversations)
    reference, error = of_chains.mean(axis=0), of_chains.std(axis=0) / len(of_chains) ** 0.5
    found = []
    for seed in range(4):
        people = fit_population(conversations, gaussian_prior([0.0], [[1.0]]), seed=seed)
        mean, covariance = (float(each) for each in people.prior.moments)
        found.append([mean, covariance + mean**2, *people.draws[:, :, 0].mean(dim=1).tolist()])
    runs = np.array(found)
    error = np.hypot(error, runs.std(axis=0, ddof=1) / len(runs) ** 0.5)
    # Nothing here is at the prior's own values, which are 0 and 1.
    assert reference[0] > 0.4
    # Of ten numbers with three degrees of freedom each, one run in fifty would be further off by chance.
    assert (np.abs(runs.mean(axis=0) - reference) < 8 * error).all()
    assert np.abs(runs.mean(axis=0) - reference).max() < 0.15
