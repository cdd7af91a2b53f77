"""Thirteen made-up shops and lists, written as their owners would: the corpus of questions and reasons.

Nothing in them is real. Each is odd in ways of its own: names of columns, units, currencies, gaps, spellings.
"""

import random
from collections.abc import Callable
from typing import Any

Table = dict[str, list[Any]]


def _pick(dice: random.Random, *values: Any) -> Any:
    return dice.choice(values)


def _some(dice: random.Random, values: str, separator: str) -> str:
    every = values.split("|")
    return separator.join(dice.sample(every, dice.randint(1, 3)))


def wines(dice: random.Random) -> dict[str, Any]:
    """Prices in euros, vintages, grapes, per cents, stock in words."""
    colour = _pick(dice, "red", "white", "rosé")
    return {
        "Wine": f"{_pick(dice, 'Château', 'Domaine', 'Casa', 'Weingut')} {_pick(dice, 'Alba', 'Brun', 'Cato', 'Dorn')} "
        f"No. {dice.randint(1, 400)}",
        "vintage": dice.randint(2009, 2023),
        "Country": _pick(dice, "France", "Italy", "Spain", "Germany", "Portugal"),
        "grape": _pick(dice, "Merlot", "Riesling", "Pinot Noir", "Tempranillo", "Syrah"),
        "colour": colour,
        "alcohol_pct": round(dice.uniform(11, 15), 1),
        "price_eur": round(dice.uniform(5, 60), 2),
        "organic": _pick(dice, "yes", "no", "no"),
        "aromas": _some(dice, "cherry|vanilla|leather|citrus|pepper|honey", ", "),
        "in_stock": _pick(dice, "yes", "yes", "yes", "no"),
        "url": f"https://wine.example/{dice.randint(1, 9999)}",
    }


def flats(dice: random.Random) -> dict[str, Any]:
    """Rents by the month, areas in m², rooms, yes/no that need an article."""
    rooms = dice.randint(1, 5)
    return {
        "Address": f"{_pick(dice, 'Elm', 'Oak', 'Mill', 'Station', 'Harbour')} Street {dice.randint(1, 190)}",
        "rent": f"€{300 * rooms + dice.randint(0, 500)}",
        "Living area": f"{22 * rooms + dice.randint(0, 25)} m²",
        "bedrooms": rooms,
        "floor": dice.randint(0, 6),
        "balcony": _pick(dice, "yes", "no"),
        "pets_allowed": _pick(dice, "yes", "no"),
        "furnished": _pick(dice, "yes", "no"),
        "parking": _pick(dice, "yes", "no", "street"),
        "district": _pick(dice, "Old Town", "Harbour", "Northside", "University"),
        "Year built": dice.randint(1890, 2022),
        "available_from": f"2026-{dice.randint(1, 9):02d}-01",
    }


def holiday_homes(dice: random.Random) -> dict[str, Any]:
    """Prices per night, distances, amenities as a list, guests' ratings with gaps."""
    return {
        "title": f"{_pick(dice, 'Sea', 'Forest', 'Hill', 'Lake')} {_pick(dice, 'Cottage', 'Cabin', 'House')} "
        f"{dice.randint(1, 300)}",
        "price_per_night": f"€{dice.randint(45, 320)}",
        "sleeps": dice.randint(2, 10),
        "distance_to_beach_m": _pick(dice, 50, 200, 500, 1200, 3000, 8000),
        "guest rating": _pick(dice, "", *(round(dice.uniform(3, 5), 1) for _ in range(6))),
        "amenities": _some(dice, "pool|sauna|parking|fireplace|dishwasher|garden", "|"),
        "region": _pick(dice, "Brittany", "Tuscany", "Andalusia", "Bavaria"),
        "pet_friendly": _pick(dice, "yes", "no"),
        "type": _pick(dice, "cottage", "cabin", "villa", "apartment"),
        "Photos": ", ".join(f"https://homes.example/{dice.randint(1, 999)}.jpg" for _ in range(2)),
    }


def bikes(dice: random.Random) -> dict[str, Any]:
    """Names in capitals, weights in kg and g, gears, frames."""
    kilograms = dice.uniform(8, 24)
    return {
        "SKU": f"B{dice.randint(10000, 99999)}",
        "MODEL": f"{_pick(dice, 'Gravel', 'City', 'Tour', 'Race')} {dice.randint(1, 90)}",
        "BRAND": _pick(dice, "Cube", "Trek", "Canyon", "CUBE"),
        "PRICE": _pick(dice, f"£{dice.randint(400, 6000)}", f"{dice.randint(400, 6000)} GBP"),
        "WEIGHT": _pick(dice, f"{kilograms:.1f} kg", f"{kilograms * 1000:.0f} g"),
        "NUM_GEARS": _pick(dice, 1, 7, 8, 11, 12, 24),
        "FRAME_MATERIAL": _pick(dice, "aluminium", "carbon", "steel"),
        "FRAME_SIZE": _pick(dice, "S", "M", "L", "one size"),
        "E-BIKE": _pick(dice, "Y", "N", "N"),
        "MUDGUARDS": _pick(dice, "Y", "N"),
        "RACK": _pick(dice, "Y", "N"),
        "QTY": _pick(dice, 0, 1, 3, 8),
    }


def jobs(dice: random.Random) -> dict[str, Any]:
    """Salaries, which are no prices; hours; contracts; benefits."""
    return {
        "job_title": f"{_pick(dice, 'Baker', 'Nurse', 'Developer', 'Teacher', 'Planner')} ({dice.randint(100, 999)})",
        "company": _pick(dice, "Acme", "Globex", "Initech", "Umbrella"),
        "location": _pick(dice, "Berlin", "Leeds", "Lyon", "Porto"),
        "salary": f"€{dice.randint(24, 90) * 1000:,}",
        "weekly_hours": _pick(dice, 20, 30, 35, 38, 40),
        "vacation_days": dice.randint(20, 35),
        "remote": _pick(dice, "yes", "no"),
        "contract_type": _pick(dice, "permanent", "temporary", "freelance"),
        "home_office_pct": _pick(dice, 0, 20, 40, 60, 100),
        "benefits": _some(dice, "company car|bicycle|pension|canteen|childcare", "; "),
    }


def phones(dice: random.Random) -> dict[str, Any]:
    """Camel case, inches, mAh, GB and TB, yes/no of acronyms."""
    return {
        "modelName": f"{_pick(dice, 'Nova', 'Pixo', 'Zen', 'Luma')} {dice.randint(1, 99)}",
        "brandName": _pick(dice, "Nova Inc", "Pixo", "Zenith"),
        "priceUsd": dice.randint(120, 1400),
        "screenSize": f'{round(dice.uniform(5.4, 6.9), 1)}"',
        "batteryCapacity_mAh": dice.randint(30, 60) * 100,
        "storage": _pick(dice, "128 GB", "256 GB", "512 GB", "1 TB"),
        "mainCamera_MP": _pick(dice, 12, 48, 50, 108),
        "weight_g": dice.randint(140, 240),
        "headphoneJack": _pick(dice, "yes", "no"),
        "waterproof": _pick(dice, "yes", "no"),
        "NFC": _pick(dice, "yes", "no"),
        "dual_SIM": _pick(dice, "yes", "no"),
        "releaseYear": dice.randint(2020, 2025),
    }


def board_games(dice: random.Random) -> dict[str, Any]:
    """Degrees from 0 to 1, minutes, ages, players in ranges."""
    return {
        "name": f"{_pick(dice, 'Castle', 'Ocean', 'Train', 'Market')} {_pick(dice, 'Quest', 'Wars', 'Days')} "
        f"{dice.randint(1, 60)}",
        "min_players": dice.randint(1, 3),
        "max_players": dice.randint(4, 8),
        "playing_time_minutes": _pick(dice, 15, 30, 45, 60, 90, 120, 180),
        "complexity": round(dice.uniform(1, 5), 2),
        "cooperative": round(_pick(dice, 0.0, 0.0, 0.0, dice.random()), 2),
        "luck": round(_pick(dice, 0.0, 0.1, 0.5, 1.0), 2),
        "theme": _pick(dice, "fantasy", "trade", "space", "history"),
        "designer": _pick(dice, "A. Stone", "B. Rivers", "C. Field"),
        "year": dice.randint(1995, 2025),
        "price": f"{dice.randint(9, 90)},{dice.randint(0, 9)}0 €",
    }


def courses(dice: random.Random) -> dict[str, Any]:
    """Durations, free and paid, languages, levels with underscores."""
    return {
        "course_name": f"{_pick(dice, 'Pottery', 'Spanish', 'Python', 'Chess', 'Yoga')} {dice.randint(100, 999)}",
        "duration": f"{_pick(dice, 4, 6, 8, 12)} weeks",
        "hours_per_week": _pick(dice, 1, 2, 3, 5),
        "fee": _pick(dice, "free of charge", f"$ {dice.randint(2, 60) * 10}", f"{dice.randint(2, 60) * 10} USD"),
        "level": _pick(dice, "absolute_beginner", "intermediate", "advanced"),
        "language": _pick(dice, "English", "German", "French"),
        "certificate": _pick(dice, "yes", "no"),
        "online": _pick(dice, "yes", "no"),
        "participants_max": _pick(dice, 6, 12, 20, 100),
        "teacher_rating": _pick(dice, "", *(round(dice.uniform(2.5, 5), 1) for _ in range(4))),
    }


def cheeses(dice: random.Random) -> dict[str, Any]:
    """One column that says the same as another, missing values, R's dots in names."""
    milk = _pick(dice, "cow", "goat", "sheep")
    return {
        "cheese": f"{_pick(dice, 'Blue', 'Old', 'Mild')} {_pick(dice, 'Tilda', 'Rocco', 'Brie')} {dice.randint(1, 99)}",
        "milk": milk,
        "goats.milk": "yes" if milk == "goat" else "no",
        "fat.percent": dice.randint(20, 60),
        "age.months": _pick(dice, 0, 1, 3, 6, 12, 24),
        "salty": _pick(dice, 0, 1),
        "rind": _pick(dice, 0, 1),
        "texture": _pick(dice, "hard", "soft", "semi-hard"),
        "price.per.kg": f"€{dice.uniform(9, 60):.2f}",
        "country.of.origin": _pick(dice, "NL", "FR", "CH", ""),
    }


def gyms(dice: random.Random) -> dict[str, Any]:
    """Questions as names, opening hours, membership fees, a column nobody filled in."""
    return {
        "Gym": f"{_pick(dice, 'Iron', 'Fit', 'Pulse')} {_pick(dice, 'Club', 'Box', 'House')} {dice.randint(1, 150)}",
        "Monthly fee": f"{dice.randint(15, 120)} CHF",
        "Distance (km)": round(dice.uniform(0.2, 15), 1),
        "Open 24h": _pick(dice, "yes", "no"),
        "has_sauna": _pick(dice, "yes", "no"),
        "pool": _pick(dice, "yes", "no"),
        "Personal training": _pick(dice, "yes", "no"),
        "Classes per week": dice.randint(0, 60),
        "No. of machines": dice.randint(10, 120),
        "Size m2": dice.randint(100, 3000),
        "Notes": "",
    }


def trains(dice: random.Random) -> dict[str, Any]:
    """Times, changes, fares in two spellings, seat classes."""
    return {
        "connection": f"{_pick(dice, 'IC', 'EC', 'TGV', 'RJ')} {dice.randint(1, 999)}",
        "Fare": _pick(dice, f"{dice.randint(19, 180)},00 EUR", f"€{dice.randint(19, 180)}.00"),
        "travel_time_minutes": dice.randint(90, 600),
        "changes": _pick(dice, 0, 0, 1, 2, 3),
        "Departure": f"2026-0{dice.randint(1, 9)}-{dice.randint(10, 28)}",
        "seat_class": _pick(dice, "first", "second"),
        "restaurant_car": _pick(dice, "yes", "no"),
        "wifi": _pick(dice, "yes", "no"),
        "bicycles_allowed": _pick(dice, "yes", "no"),
        "punctuality_pct": dice.randint(55, 99),
        "operator": _pick(dice, "Northern Rail", "Alpine", "Coastline"),
    }


def heat_pumps(dice: random.Random) -> dict[str, Any]:
    """Technical names, dB, kW, energy classes, negative temperatures, stock in pieces."""
    return {
        "product": f"HP-{dice.randint(100, 999)}{_pick(dice, 'A', 'B', 'X')}",
        "manufacturer": _pick(dice, "Thermo", "Calor", "Nordic"),
        "heating_capacity_kw": dice.randint(4, 18),
        "noise_level_db": dice.randint(32, 60),
        "energy_class": _pick(dice, "A+", "A++", "A+++"),
        "min_outdoor_temp_c": _pick(dice, -25, -20, -15, -7),
        "refrigerant": _pick(dice, "R32", "R290", "R410A"),
        "list_price": f"{dice.randint(3, 14)}.{dice.randint(100, 999)},00 €",
        "cooling_function": _pick(dice, "ja", "nein"),
        "warranty_years": _pick(dice, 2, 5, 7, 10),
        "app_control": _pick(dice, "ja", "nein"),
        "stock": _pick(dice, "0 pcs", "3 pcs", "10+", "sold out"),
    }


def dogs(dice: random.Random) -> dict[str, Any]:
    """Ages in words, answers beside yes and no, participles as names of dates, sentences."""
    return {
        "name": f"{_pick(dice, 'Bella', 'Max', 'Luna', 'Otis')} {dice.randint(1, 400)}",
        "breed": _pick(dice, "Beagle", "Collie", "Labrador mix", "?"),
        "age": _pick(dice, f"{dice.randint(2, 11)} months", f"{dice.randint(2, 13)} years", "1 year 6 months", "?"),
        "sex": _pick(dice, "male", "female"),
        "weight (kg)": _pick(dice, dice.randint(3, 45), f"~{dice.randint(5, 40)}", ""),
        "good with kids": _pick(dice, "yes", "no", "older kids only", ""),
        "house trained": _pick(dice, "yes", "mostly", "no"),
        "vaccinated?": _pick(dice, "Y", "N"),
        "adoption fee": _pick(dice, "£150", "£200", "£ 75", "waived"),
        "arrived": f"{dice.randint(1, 28):02d}/{dice.randint(1, 12):02d}/2025",
        "about": f"A {_pick(dice, 'shy', 'sweet', 'loyal')} soul who loves {_pick(dice, 'walks', 'sofas, and food')}.",
    }


MADE_UP: dict[str, Callable[[random.Random], dict[str, Any]]] = {
    "wine": wines,
    "flat": flats,
    "holiday home": holiday_homes,
    "bike": bikes,
    "job": jobs,
    "phone": phones,
    "board game": board_games,
    "course": courses,
    "cheese": cheeses,
    "gym": gyms,
    "train connection": trains,
    "heat pump": heat_pumps,
    "dog": dogs,
}


def made_up(noun: str, rows: int = 150) -> Table:
    """The table of this noun, the same on every machine."""
    dice = random.Random(noun)
    drawn = [MADE_UP[noun](dice) for _ in range(rows)]
    return {name: [row[name] for row in drawn] for name in drawn[0]}
