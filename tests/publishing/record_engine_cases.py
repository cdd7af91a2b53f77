"""Records `web/tests/golden/cars.json`, a small catalogue for the tests of the engine; run it when results change."""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from engine_cases import written
from published_worlds import World

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        written(
            World.cars(Path(folder), count=40).thinned(80), Path(__file__).parents[2] / "web/tests/golden/cars.json"
        )
