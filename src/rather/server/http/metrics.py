"""What the server counts and measures about itself."""

from functools import partial

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from rather.server.computing.states import States
from rather.server.reloading import Reloading


class Metrics:
    """Metrics of one app, in a registry of their own so that two apps in one process do not mix."""

    def __init__(self, states: States, reloading: Reloading) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "rather_requests", "Requests by route and status.", ["method", "route", "status"], registry=self.registry
        )
        self.seconds = Histogram(
            "rather_request_seconds",
            "Time from request to response.",
            ["route"],
            buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
            registry=self.registry,
        )
        self.under_way = Gauge(
            "rather_requests_under_way", "Requests that have not been answered yet.", registry=self.registry
        )
        for name, help, value in (
            ("rather_states", "Cached states of conversations.", lambda: len(states)),
            ("rather_waiting", "Requests that wait for a core.", lambda: states.gate.waiting),
            ("rather_states_found", "States that were cached when an answer came.", lambda: states.found),
            ("rather_states_computed", "States that were computed while somebody waited.", lambda: states.computed),
            ("rather_states_ahead", "States that were computed in advance.", lambda: states.computed_ahead),
            ("rather_catalog_switches", "Changed files that were switched to.", lambda: reloading.switches),
        ):
            Gauge(name, help, registry=self.registry).set_function(value)
        kept = Gauge(
            "rather_catalog_kept",
            "1 while an earlier version is served because the file's present one cannot be.",
            ["catalog"],
            registry=self.registry,
        )
        for name in reloading.problems:
            kept.labels(name).set_function(partial(_is_kept, reloading, name))


def _is_kept(reloading: Reloading, name: str) -> float:
    return float(reloading.problems[name] is not None)
