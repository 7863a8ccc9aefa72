"""Tests that are written with TVM's marks and parameters, run by pytest."""

import subprocess
import sys

CONFTEST = """
from teloom.tvm_compat.install import install

install()
pytest_plugins = ["tvm.testing.plugin"]
"""

TESTS = """
import numpy as np
import pytest
import tvm
import tvm.testing
from tvm import te

first, second = tvm.testing.parameters((2, 3), (4, 5))
dtype = tvm.testing.parameter("float32", "int32")


class TestDoubles:
    n = tvm.testing.parameter(by_dict={"few": 3, "more": 5})

    @tvm.testing.fixture(cache_return_value=False)
    def data(self, n, dtype):
        return np.arange(n).astype(dtype)

    def test_on(self, target, dev, data, n, dtype):
        A = te.placeholder((n,), dtype, name="A")
        B = te.compute((n,), lambda i: A[i] + A[i], name="B")
        run = tvm.build(te.create_schedule(B.op), [A, B], target)
        out = tvm.nd.empty((n,), dtype, dev)
        run(tvm.nd.array(data, dev), out)
        tvm.testing.assert_allclose(out.numpy(), data * 2)


def test_sets(first, second):
    assert second == first + 1


@tvm.testing.requires_gpu
def test_needs_a_gpu():
    raise AssertionError


@tvm.testing.requires_cuda()
def test_needs_cuda():
    raise AssertionError


@tvm.testing.uses_gpu
@tvm.testing.requires_llvm
def test_uses_a_gpu():
    assert tvm.testing.enabled_targets() == [("llvm", tvm.cpu(0))]


@tvm.testing.parametrize_targets("cuda", "llvm")
@tvm.testing.known_failing_targets("llvm")
def test_fails(target, dev):
    raise AssertionError


@tvm.testing.exclude_targets("llvm")
def test_on_no_target(target):
    raise AssertionError


@pytest.mark.parametrize("target, number", [("llvm", 1)])
def test_of_its_own(target, number):
    assert number == 1


@tvm.testing.exclude_targets("llvm")
class TestOnNoTarget:
    def test_nothing(self, target):
        raise AssertionError


@pytest.mark.parametrize("target, first", [("cuda", 5), ("llvm", 7)])
def test_values_of_a_set_of_its_own(target, dev, first):
    assert (target, first) == ("llvm", 7)


computed = []


@tvm.testing.fixture(cache_return_value=True)
def once(dtype):
    computed.append(dtype)
    return [dtype]


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_copy_of_what_is_computed_once(once, dtype, number):
    assert once == [dtype]
    once.append(number)
    assert sorted(computed) == sorted(set(computed))


if __name__ == "__main__":
    tvm.testing.main()
"""


def test_tests_of_tvm_run(tmp_path):
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_doubles.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_doubles.py"]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert "15 passed, 5 skipped, 1 xfailed" in found.stdout, found.stdout + found.stderr
