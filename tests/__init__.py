"""Tests mirror the rooms; helpers are imported as tests.ROOM.NAME."""
