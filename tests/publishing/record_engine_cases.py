"""Records `web/tests/golden/cars.json`, a small catalogue for the tests of the engine; run it when results change.

With a catalogue and a folder, it writes cases about that catalogue there, and the engine is tested on them by
`RATHER_GOLDEN=folder npm test -- tests/engine.test.ts` in `web` (the folder's path must be absolute).
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from engine_cases import written
from published_worlds import World

import rather

if __name__ == "__main__":
    if sys.argv[1:]:
        catalog, folder = sys.argv[1:]
        name = Path(catalog).stem
        written(World(name, *rather.open(catalog)), Path(folder) / f"{name}.json")
    else:
        with tempfile.TemporaryDirectory() as folder:
            small = World.cars(Path(folder), count=40).thinned(80)
            written(small, Path(__file__).parents[2] / "web/tests/golden/cars.json")
