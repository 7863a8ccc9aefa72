"""Modules of WebAssembly, run by node with plain JavaScript."""

import base64
import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from teloom.backend.library.linking import module_linker
from teloom.errors import Error

NODE = shutil.which("node")


def _can_link() -> bool:
    try:
        module_linker()
    except Error:
        return False
    return True


needs_node = pytest.mark.skipif(NODE is None, reason="there is no node")
needs_linker = pytest.mark.skipif(not _can_link(), reason="there is no wasm-ld and no zig")

_RUN = """
const fs = require("node:fs");
const { file, calls } = JSON.parse(fs.readFileSync(0, "utf8"));
WebAssembly.instantiate(fs.readFileSync(file), { Math }).then(({ instance }) => {
  const { memory, aligned_alloc, free, ...functions } = instance.exports;
  const text = (at) => {
    const bytes = new Uint8Array(memory.buffer, at);
    return Buffer.from(bytes.subarray(0, bytes.indexOf(0))).toString();
  };
  const made = calls.map(({ name, sizes, arrays }) => {
    const data = arrays.map((array) => Buffer.from(array, "base64"));
    const places = data.map((bytes) => aligned_alloc(64, bytes.length));
    data.forEach((bytes, k) => new Uint8Array(memory.buffer).set(bytes, places[k]));
    const status = functions[name](...sizes.map(BigInt), ...places, 0);
    const after = data.map((bytes, k) => Buffer.from(memory.buffer, places[k], bytes.length));
    const results = after.map((bytes) => bytes.toString("base64"));
    places.forEach((at) => free(at));
    return { said: text(functions[`${name}_error`](status)), results };
  });
  console.log(JSON.stringify({ made, bytes: memory.buffer.byteLength }));
});
"""


class Call(NamedTuple):
    """A call of a function of a module."""

    name: str
    sizes: Sequence[int]
    arrays: Sequence[np.ndarray]


class Made(NamedTuple):
    """What a call said, and the arrays behind it."""

    said: str
    arrays: list[np.ndarray]


def run(file: Path, calls: Sequence[Call]) -> tuple[list[Made], int]:
    """What calls make, one after the other, and how many bytes of memory the module has then."""
    asked = [
        {
            "name": call.name,
            "sizes": [str(size) for size in call.sizes],
            "arrays": [base64.b64encode(array.tobytes()).decode() for array in call.arrays],
        }
        for call in calls
    ]
    said = json.loads(node(_RUN, json.dumps({"file": str(file), "calls": asked})))
    made: list[Made] = []
    for call, one in zip(calls, said["made"], strict=True):
        after = [
            np.frombuffer(base64.b64decode(data), array.dtype).reshape(array.shape)
            for data, array in zip(one["results"], call.arrays, strict=True)
        ]
        made.append(Made(one["said"], after))
    return made, said["bytes"]


def node(program: str, given: str, *arguments: str) -> str:
    """What a program of JavaScript prints, of what it reads and its arguments."""
    command = [str(NODE), "--no-warnings", "-e", program, *arguments]
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
