"""What the library says about conversations, for the engine in the browser to be compared with.

A case is a conversation as the page stores it, and what follows from it: weights, EVOI, lists, reasons. The belief is
only reweighted, so that both sides have the same particles.
"""

import base64
import json
from dataclasses import asdict, replace

import torch
from published_worlds import REJUVENATION

import rather
from rather.conversation.hints import wishes
from rather.conversation.recommendations import match_text
from rather.conversation.tastes import tastes
from rather.model.statements import statement_record
from rather.strategies import Problem

SLATES = 12
RANKED = 12


def golden(world):
    """A published catalogue and the cases about it, in plain JSON."""
    return {
        "publication": base64.b64encode(world.publication().packed()).decode(),
        "cases": [case(world, steps) for steps in conversations(world)],
        "questions": questions(world),
        "posterior": posterior(world),
        "contradictions": contradictions(world),
        "revised": revised(world),
    }


def conversations(world):
    """Steps of conversations about any catalogue: answers to fixed slates of items and attributes, and hints."""
    n, a = len(world.catalog), len(world.catalog.attributes)
    items = [("items", [(7 * number) % n, (7 * number + 3 + number) % n]) for number in range(12)]
    said = [("attributes", [(3 * number) % a, (3 * number + 1 + number) % a]) for number in range(4)]
    answered = [(*items[0], 0), (*items[1], 1), (*items[2], "none"), (*items[3], "same"), (*items[4], "skip")]
    yield []
    yield answered[:1]
    yield [*answered, (*items[5], 1), (*items[6], 0)]
    yield [(*said[0], 1), (*said[1], 0), (*items[7], 0), (*said[2], "same")]
    yield [(*items[8], 0), ("hint", rather.Want(world.catalog.attributes[1].text)), (*items[9], 1)]
    yield [(*items[10], 1), ("hint", "more-like"), ("hint", "like-but"), ("hint", "dont-care")]


def case(world, steps):
    """A conversation and what the library says after it."""
    session = rather.Session(world.policy())
    events = [event_of(step, session) for step in steps]
    belief, policy = session.belief, session.policy
    # Before the first answer, many items are the best for as many particles each: which of them lists are made of is
    # anybody's choice, and shows from the second list on.
    items = session.recommend(RANKED if steps else policy.objective.size)
    question = policy.item_question(session.number, [1, 2])
    return {
        "events": events,
        "weights": [round(weight, 8) for weight in belief.weights.tolist()],
        "slates": [{"items": slate, "evoi": evoi} for slate, evoi in valued(policy, belief, "items")],
        "attributes": [{"items": slate, "evoi": evoi} for slate, evoi in valued(policy, belief, "attributes")],
        "gain": policy.gain(belief, question) if steps else None,
        "regret": session.expected_regret,
        "start_regret": policy.start_regret,
        "probability_best": session.probability_best(),
        "recommended": [recommended(item, session) for item in items],
        "reasons": {
            language: [_said(own) for own in session.reasons(items, "you", language)] for language in ("en", "de")
        },
        "stands_for": session.stands_for(items[: policy.objective.size]),
        "log": list(session.events),
        "tastes": [taste._asdict() for taste in tastes(session, "fr")[:10]],
    }


def event_of(step, session):
    """Do a step, and return it as the page stores it."""
    if step[0] == "hint":
        hint = session.hint(_statement(step[1], session))
        said = statement_record(hint.statement)
        return {"type": "hint", "said": said, "rows": list(hint.slate), "regret": None, "at": ""}
    kind, options, answer = step
    policy = session.policy
    if kind == "items":
        question = policy.item_question(session.number, options)
    else:
        question = policy.attribute_question(session.number, [[option] for option in options])
    session.record(question, answer if isinstance(answer, int) else rather.Answer(answer))
    asked = {"kind": kind, "options": options, "evoi": 0}
    return {"type": "answer", "question": asked, "choice": answer, "id": str(session.number), "regret": None, "at": ""}


def _statement(said, session):
    catalog, row = session.policy.catalog, session.recommend(3)[2].row
    if said == "more-like":
        return rather.MoreLike(catalog.ids[row])
    if said == "like-but":
        wish = catalog.comparatives_of(row)[0]
        return rather.LikeBut(catalog.ids[row], wish.column, wish.toward)
    return rather.DontCare(catalog.attributes[0].column) if said == "dont-care" else said


def valued(policy, belief, kind):
    """Slates and their EVOI."""
    count = len(policy.catalog if kind == "items" else policy.catalog.attributes)
    slates = [[(5 * index) % count, (5 * index + 1 + 2 * index) % count] for index in range(1, SLATES)]
    slates = [slate for slate in slates if slate[0] != slate[1]]
    generator = torch.Generator().manual_seed(0)
    problem = Problem(policy.catalog, belief, policy.response, 2, generator, p=None if kind == "items" else 1)
    rows = torch.tensor(slates)
    return zip(slates, problem.evoi(rows if kind == "items" else rows[:, :, None]).tolist(), strict=True)


def recommended(item, session):
    """A recommended item in numbers and words."""
    return {
        "row": item.row,
        "expected": item.expected_utility,
        "spread": item.spread,
        "probability_best": item.probability_best,
        "match": item.match,
        "probability_good": item.probability_good,
        "match_text": match_text(item, "es"),
        "wishes": [each.said("de") for each in wishes(item.row, session.policy, session.belief)],
    }


def questions(world):
    """The EVOI of the questions that `auto` asks, along simulated conversations."""
    found = []
    for ask in ("items", "attributes"):
        generator = torch.Generator().manual_seed(5)
        for _ in range(4):
            session = rather.Session(world.policy(ask))
            person = world.belief.particles[int(torch.randint(len(world.belief), (1,), generator=generator))]
            events = []
            for _ in range(4):
                question = session.ask()
                asked = {"kind": ask, "options": [_single(each) for each in question.compared], "evoi": 0}
                found.append({"ask": ask, "events": list(events), "evoi": question.evoi})
                logits = session.policy.response.log_probabilities((question.vectors @ person)[:, None])[:, 0]
                row = int(torch.multinomial(logits.exp(), 1, generator=generator))
                answer = row if row < 2 else ("none", "same")[row - 2]
                session.tell(question, answer)
                told = {"type": "answer", "question": asked, "choice": answer, "id": "", "regret": None, "at": ""}
                events.append(told)
    return found


def posterior(world, seeds=6, answers=6):
    """Expected utilities of some items under rejuvenated beliefs, with their spread over random seeds."""
    n = len(world.catalog)
    rows = [(11 * index) % n for index in range(8)]
    vectors = world.catalog.vectors(rows)
    steps = [("items", [(7 * number) % n, (7 * number + 3 + number) % n], number % 2) for number in range(answers)]
    means = []
    for seed in range(seeds):
        session = rather.Session(world.policy(rejuvenation=REJUVENATION, seed=seed))
        events = [event_of(step, session) for step in steps]
        means.append(vectors @ session.belief.mean)
    found = torch.stack(means)
    return {"events": events, "rows": rows, "mean": found.mean(dim=0).tolist(), "spread": found.std(dim=0).tolist()}


def contradicting(world, person=3):
    """Steps of somebody who answers as one taste has it, and then otherwise."""
    order = (world.catalog.vectors(range(len(world.catalog))) @ world.belief.particles[person]).argsort(descending=True)
    best, worst = order.tolist(), order.flip(0).tolist()
    liked = [("items", [best[index], worst[index]], 0) for index in range(6)]
    want = ("hint", rather.Want(world.catalog.attributes[1].text))
    slips = [("items", [best[1], worst[0]], 1), ("items", [best[7], best[8]], "none")]
    return [*liked[:3], ("items", [best[9], best[10]], "skip"), want, *liked[3:], *slips]


def contradictions(world, seeds=6):
    """Answers that hardly fit together: exactly where particles are only reweighted, else with their spread."""
    exact = replace(world, belief=replace(world.belief, prior=None))
    # On some tables most people's slips are not surprising enough to be noticed.
    person = min(range(10), key=lambda person: _surprise(exact, person))
    session = rather.Session(exact.policy())
    events = [event_of(step, session) for step in contradicting(world, person)]
    found = {
        language: [asdict(each) for each in session.contradictions(language=language)] for language in ("en", "es")
    }
    assert found["en"], "somebody who contradicts themselves is noticed"
    surprise = torch.tensor([_surprise(world, person, seed) for seed in range(seeds)])
    return {"events": events, "found": found, "mean": float(surprise.mean()), "spread": float(surprise.std())}


def _surprise(world, person, seed=0):
    """The probability of the most surprising answer that is noticed; 1 where none is."""
    session = rather.Session(world.policy(seed=seed))
    for step in contradicting(world, person):
        event_of(step, session)
    return min((each.probability for each in session.contradictions()), default=1.0)


def revised(world):
    """A conversation whose second answer is revised: its events before, its log and weights after."""
    session = rather.Session(world.policy())
    events = [event_of(step, session) for step in contradicting(world)]
    session.revise(2, "same")
    weights = [round(weight, 8) for weight in session.belief.weights.tolist()]
    return {"events": events, "answer": "2", "choice": "same", "log": list(session.events), "weights": weights}


def _said(reasons):
    return [(each.kind, each.text, each.column) for each in reasons]


def _single(option):
    return option[0] if isinstance(option, tuple) else option


def written(world, path):
    """Write the golden cases of a world."""
    path.write_text(json.dumps(golden(world), separators=(",", ":")), encoding="utf-8")
