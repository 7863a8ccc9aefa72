"""Object code on disk: found again, safe to share, never trusted when damaged."""

import errno
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from standard_kernels import compile_text

from teloom.backend.machine import cache, jit
from teloom.backend.machine.codegen import machine_code
from teloom.errors import Error

TEXT = """
    func.func @f(%B: memref<1xf32>) {
      %c0 = arith.constant 0 : index
      %x = arith.constant 42.0 : f32
      memref.store %x, %B[%c0] : memref<1xf32>
      func.return
    }"""


@pytest.fixture(autouse=True, scope="module")
def runtime():
    """The process has compiled what all code links to; of that no test counts an entry."""
    assert works()


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("TELOOM_CACHE", "1")
    monkeypatch.setenv("TELOOM_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def emitted(monkeypatch):
    """The texts that were compiled, not found."""
    texts = []
    emit = machine_code.emit_object
    monkeypatch.setattr(
        machine_code, "emit_object", lambda text, *how: texts.append(text) or emit(text, *how)
    )
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


@pytest.mark.parametrize("bad", [lambda code: b"", lambda code: code[:-9], lambda code: b"?" * 500])
def test_an_entry_that_does_not_link_is_compiled_again(place, emitted, bad):
    assert works()
    (entry,) = place.iterdir()
    data = entry.read_bytes()
    cache.store(entry.name, bad(cache.load(entry.name)))
    assert works()
    assert len(emitted) == 2
    assert entry.read_bytes() == data


def test_an_entry_counts_under_its_own_name_only(place):
    cache.store("one", b"code")
    os.rename(place / "one", place / "other")
    assert cache.load("other") is None


def loop_of_links(entry: Path) -> None:
    entry.symlink_to(entry)


def endless(entry: Path) -> None:
    entry.symlink_to("/dev/zero")


def nowhere(entry: Path) -> None:
    entry.symlink_to(entry.parent / "nowhere")


def huge(entry: Path) -> None:
    with entry.open("wb") as file:
        file.truncate(2**40)


@pytest.mark.parametrize("made", [os.mkfifo, loop_of_links, endless, nowhere, huge])
def test_what_is_no_entry_is_replaced(place, emitted, made: Callable[[Path], None]):
    assert works()
    (entry,) = place.iterdir()
    data = entry.read_bytes()
    entry.unlink()
    made(entry)
    assert works()
    assert len(emitted) == 2
    assert not entry.is_symlink()
    assert entry.read_bytes() == data


def test_a_directory_in_the_place_of_an_entry_is_left_alone(place, emitted):
    assert works()
    (entry,) = place.iterdir()
    entry.unlink()
    entry.mkdir()
    assert works()
    assert len(emitted) == 2
    assert [path.name for path in place.iterdir()] == [entry.name]


def test_an_entry_that_may_not_be_read_is_replaced(place, emitted, monkeypatch):
    assert works()

    def refuse(*_: object) -> int:
        raise PermissionError(errno.EACCES, "Permission denied")

    with monkeypatch.context() as patched:
        patched.setattr(cache.os, "open", refuse)  # file modes do not stop a superuser
        assert cache.load(next(place.iterdir()).name) is None
    (entry,) = place.iterdir()
    entry.chmod(0)
    assert works()
    assert works()


@contextmanager
def files_no_larger_than(size: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_keeps_nothing(place):
    cache.store("small", b"code")
    with files_no_larger_than(100):
        cache.store("large", bytes(1000))
    assert [path.name for path in place.iterdir()] == ["small"]


def test_what_is_no_entry_does_not_stop_the_dropping(place, monkeypatch):
    monkeypatch.setattr(cache, "LIMIT", 3 * (1000 + 32))
    monkeypatch.setattr(cache, "STORES_PER_LOOK", 1)
    place.mkdir()
    loop_of_links(place / "loop")
    (place / "folder").mkdir()
    for name in ("loop", "folder"):
        os.utime(place / name, (0, 0), follow_symlinks=False)
    for number in range(4):
        cache.store(f"key{number}", bytes(1000))
        os.utime(place / f"key{number}", (number, number))
    names = sorted(path.name for path in place.iterdir())
    assert names == ["folder", "key1", "key2", "key3", "loop"]


def test_another_machine_has_its_own_entry(place, emitted, monkeypatch):
    assert works()
    monkeypatch.setattr(jit, "key_of", lambda *how: "another")
    assert works()
    assert len(emitted) == 2


def test_zero_turns_it_off(place, emitted, monkeypatch):
    monkeypatch.setenv("TELOOM_CACHE", "0")
    assert works()
    assert works()
    assert len(emitted) == 2
    assert not place.exists()


def test_it_is_on_or_off(monkeypatch):
    monkeypatch.setenv("TELOOM_CACHE", "2")
    with pytest.raises(Error, match="TELOOM_CACHE is '2'; it must be 0 or 1"):
        works()


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
    monkeypatch.setattr(cache, "STORES_PER_LOOK", 1)
    for number in range(3):
        cache.store(f"key{number}", bytes(1000))
        os.utime(place / f"key{number}", (number, number))
    assert cache.load("key0") == bytes(1000)
    cache.store("key3", bytes(1000))
    assert sorted(path.name for path in place.iterdir()) == ["key0", "key2", "key3"]


WRITER = """
import sys
from teloom.backend.machine import cache
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


def test_not_every_store_looks_at_all_entries(place, monkeypatch):
    looks: list[Path] = []
    monkeypatch.setattr(cache, "_prune", looks.append)
    for number in range(640):
        cache.store(f"key{number}", b"code")
    assert 1 <= len(looks) <= 40
