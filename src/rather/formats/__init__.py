"""Files, tables and frames as a catalogue and the belief a conversation about it starts from."""
