"""Parallel loops in one process with libraries that use threads: the right numbers, in time."""

import subprocess
import sys
from importlib.util import find_spec
from textwrap import dedent

import pytest

LIBRARIES = {
    "numba": """
        @numba.njit(parallel=True)
        def added(x):
            total = 0.0
            for i in numba.prange(len(x)):
                total += x[i, 0]
            return total

        def use():
            assert added(a) == len(a)""",
    "torch": """
        def use():
            assert float(torch.ones(1000, 1000).sum()) == 1e6""",
    "sklearn": """
        from sklearn.cluster import KMeans

        def use():
            assert KMeans(1, n_init=1).fit(a).n_features_in_ == a.shape[1]""",
    "jax": """
        def use():
            assert float(jax.numpy.sum(a[:, 0])) == len(a)""",
}

SCRIPT = """
import sys, threading
import numpy as np
import teloom
from teloom import te

n = te.var("n")
A, k = te.placeholder((n, 64), name="A"), te.reduce_axis((0, n), "k")
C = te.compute((64,), lambda j: te.sum(A[k, j], axis=k), name="C")
s = te.create_schedule(C)
s[C].parallel(k)
columns = teloom.build(s, [A, C], name="columns", num_threads=3)
a = np.ones((500, 64), "float32")

def use_ours():
    for _ in range(10):
        columns(a, c := np.zeros(64, "float32"))
        assert (c == len(a)).all()

if FIRST:
    use_ours()
try:
    import LIBRARY
except ImportError as error:
    sys.exit(f"cannot import: {error}")
USE
for _ in range(3):
    use_ours()
    use()
both = [threading.Thread(target=one) for one in (use, use_ours)]
for one in both:
    one.start()
for one in both:
    one.join()
print("right")
"""


@pytest.mark.parametrize("ours_first", [True, False])
@pytest.mark.parametrize("library", LIBRARIES)
def test_beside(library: str, ours_first: bool):
    if find_spec(library) is None:
        pytest.skip(f"{library} is not installed")
    script = SCRIPT.replace("LIBRARY", library).replace("FIRST", str(ours_first))
    script = script.replace("USE", dedent(LIBRARIES[library]))
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=180, check=False
    )
    if "cannot import" in done.stderr:
        pytest.skip(done.stderr)
    assert (done.returncode, done.stdout) == (0, "right\n"), done.stderr
