"""What the pages print is recorded like the golden files: whether sums round otherwise here is asked there."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "golden"))
