"""What people want, from their conversations: a report for the owner of a catalogue."""
