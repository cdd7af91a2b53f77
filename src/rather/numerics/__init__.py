"""How arrays come in, where randomness comes from, and how many threads compute."""
