"""Conversations: transcripts of any chat format → messages, calls and turns; calls and states compared exactly."""
