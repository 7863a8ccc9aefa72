"""Object code on disk: found again, safe to share, never trusted when damaged."""

import os
import subprocess
import sys

import numpy as np
import pytest
from standard_kernels import compile_text

from teloom.backend import cache, jit

TEXT = """
    func.func @f(%B: memref<1xf32>) {
      %c0 = arith.constant 0 : index
      %x = arith.constant 42.0 : f32
      memref.store %x, %B[%c0] : memref<1xf32>
      func.return
    }"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("TELOOM_CACHE", "1")
    monkeypatch.setenv("TELOOM_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def emitted(monkeypatch):
    """The texts that were compiled, not found."""
    texts = []
    emit = jit.emit_object
    monkeypatch.setattr(jit, "emit_object", lambda text: texts.append(text) or emit(text))
    return texts


def works() -> bool:
    compile_text(TEXT)(b := np.zeros(1, "float32"))
    return b[0] == 42


def test_the_second_time_nothing_is_compiled(place, emitted):
    assert works()
    assert works()
    assert len(emitted) == 1


@pytest.mark.parametrize("damage", [b"", b"short", None])
def test_a_damaged_entry_is_compiled_again(place, emitted, damage):
    assert works()
    (entry,) = place.iterdir()
    data = entry.read_bytes()
    entry.write_bytes(data[:-1] + b"?" if damage is None else damage)
    assert works()
    assert len(emitted) == 2
    assert entry.read_bytes() == data


def test_another_machine_has_its_own_entry(place, emitted, monkeypatch):
    assert works()
    monkeypatch.setattr(jit.Target, "key", lambda self: "another")
    assert works()
    assert len(emitted) == 2


def test_zero_turns_it_off(place, emitted, monkeypatch):
    monkeypatch.setenv("TELOOM_CACHE", "0")
    assert works()
    assert works()
    assert len(emitted) == 2
    assert not place.exists()


def test_a_place_that_cannot_be_written_is_no_error(tmp_path, monkeypatch, emitted):
    (tmp_path / "file").write_text("not a directory")
    monkeypatch.setenv("TELOOM_CACHE", "1")
    monkeypatch.setenv("TELOOM_CACHE_DIR", str(tmp_path / "file" / "cache"))
    assert works()
    assert works()
    assert len(emitted) == 2


def test_the_default_place_follows_the_xdg_standard(monkeypatch):
    monkeypatch.setenv("TELOOM_CACHE", "1")
    monkeypatch.delenv("TELOOM_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert str(cache.directory()) == "/somewhere/teloom"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/home/of")
    assert str(cache.directory()) == "/home/of/.cache/teloom"


def test_the_entries_used_longest_ago_are_dropped(place, monkeypatch):
    monkeypatch.setattr(cache, "LIMIT", 3 * (1000 + 32))
    for number in range(3):
        cache.store(f"key{number}", bytes(1000))
        os.utime(place / f"key{number}", (number, number))
    assert cache.load("key0") == bytes(1000)
    cache.store("key3", bytes(1000))
    assert sorted(path.name for path in place.iterdir()) == ["key0", "key2", "key3"]


WRITER = """
import sys
from teloom.backend import cache
code = bytes([int(sys.argv[1])]) * 100_000
for _ in range(200):
    cache.store("shared", code)
    found = cache.load("shared")
    assert found is not None and len(set(found)) == 1 and len(found) == 100_000, found
"""


def test_two_processes_share_it(place):
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(number)], env=os.environ.copy())
        for number in (1, 2)
    ]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    assert [path.name for path in place.iterdir()] == ["shared"]
