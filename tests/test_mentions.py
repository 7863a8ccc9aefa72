"""How many modules know each command of schedules."""

from mentions import mentioned

MOST = 5
"""The op, its dialect, the pattern that carries it out, and what reads what that leaves."""

MORE = {"prefetch": 9}
"""It is an op of its own at the levels schedule, loop and memref."""


def test_few_modules_mention_a_command_and_each_is_found():
    found = mentioned()
    too_many = {
        word: modules for word, modules in found.items() if len(modules) > MORE.get(word, MOST)
    }
    assert not too_many
    assert all(len(modules) >= 3 for modules in found.values())
    assert len(found["prefetch"]) > MOST
