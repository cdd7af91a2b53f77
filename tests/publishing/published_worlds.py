"""Catalogues to publish, and conversations about them for the engine in the browser to repeat."""

import random
from dataclasses import dataclass, replace

import torch

import rather
from rather.conversation.display_text import DisplayText
from rather.conversation.stopping import Stopping
from rather.languages import LANGUAGES
from rather.model.rejuvenation import Rejuvenation
from rather.publishing import Publication

DISPLAY = DisplayText(2_000, link_hosts=("*",))


def cars_table(count: int) -> str:
    """A made-up table of cars with a column of every kind."""
    draw = random.Random(4)
    makes = ["Aro", "Bex", "Cor", "Dun", "Eos", "Fyn", "Gal", "Hex"]
    lines = ["id,make,model,price_usd,range_km,drive,electric,extras,built,photo,link"]
    for number in range(1, count + 1):
        electric = draw.random() < 0.4
        reach = str(10 * draw.randint(15, 60)) if electric else ""
        extras = "|".join(sorted(draw.sample(["radio", "roof", "heated seats", "hitch"], draw.randint(0, 3))))
        cells = [
            str(number),
            draw.choice(makes),
            f"M{number}",
            str(500 * draw.randint(20, 140)),
            reach,
            draw.choice(["FWD", "AWD", "RWD"]),
            "yes" if electric else "no",
            extras,
            f"{draw.randint(2012, 2025)}-0{draw.randint(1, 9)}-1{draw.randint(0, 9)}",
            f"https://cars.example/{number}.jpg",
            f"https://shop.example/{number}",
        ]
        lines.append(",".join(cells))
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class World:
    """A catalogue and a belief, as `rather.open` returns them."""

    name: str
    catalog: rather.Catalog
    belief: rather.Belief

    @classmethod
    def films(cls):
        return cls("films", *rather.open("films"))

    @classmethod
    def cars(cls, folder, count=700):
        path = folder / f"cars{count}.csv"
        path.write_text(cars_table(count), encoding="utf-8")
        return cls("cars", *rather.open(path))

    def thinned(self, particles):
        """The same with fewer particles, for a small file."""
        generator = torch.Generator().manual_seed(1)
        return World(self.name, self.catalog, self.belief.resampled(particles, generator))

    def policy(self, ask="items", rejuvenation=None, seed=0):
        return rather.Policy(self.catalog, self.belief, seed=seed, ask=ask, rejuvenation=rejuvenation)

    def publication(self, rejuvenation=None):
        policy = self.policy(rejuvenation=rejuvenation)
        return Publication(self.name, policy, self.display, LANGUAGES, Stopping.usual(policy.start_regret))

    @property
    def display(self):
        """Shows all links and pictures, as logs of the library hold all."""
        pictures = [address for addresses in self.catalog.images for address in addresses]
        return replace(DISPLAY, image_hosts=tuple(DISPLAY.hidden_images(pictures)))


REJUVENATION = Rejuvenation()
