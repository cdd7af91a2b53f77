"""A small table, and people whose part-worths are known."""

import torch

import rather
from rather.insights.deciding import Effect
from rather.insights.respondents import Sampled

CARS = """\
id,name,price,drive,electric
a,Ant,10000,FWD,no
b,Bee,20000,AWD,yes
c,Cat,30000,FWD,yes
d,Dog,40000,AWD,no
e,Elk,10000,AWD,no
f,Fox,40000,FWD,yes
"""
SETTINGS = {
    "table": {"label": "name"},
    "columns": {"price": {"kind": "price", "unit": "€", "direction": "depends"}, "id": {"kind": "id"}},
}


def cars(tmp_path, text=CARS):
    path = tmp_path / "cars.csv"
    path.write_text(text)
    return rather.open(path, settings=SETTINGS)


def utility(catalog, worths, slope):
    """The vector of somebody to whom values are worth this much, and one more unit of price `slope`."""
    vector = torch.zeros(catalog.dimensions)
    for column in catalog.columns:
        block = column.block
        if column.name == "price":
            vector[column.dimensions] = torch.tensor(block.column.grid.knots) * slope / column.scale
        elif column.name in worths:
            own = worths[column.name]
            values = block.values or ("yes",)
            vector[column.dimensions] = torch.tensor([own.get(value, 0.0) for value in values]) / column.scale
    return vector


EFFECTS = ([Effect(1, "Would you rather <i>this</i>?", 1.0, 0.5, True)],) * 3


def sampled(draws, names=None, temperature=0.5):
    names = names or [f"p{number}" for number in range(len(draws))]
    noise = torch.full((len(draws),), temperature)
    return Sampled(tuple(names), (0,) * len(names), draws, noise, None, {})
