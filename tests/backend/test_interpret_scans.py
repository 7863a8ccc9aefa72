"""The reference interpreter on scans: numbers worked out by hand, and programs without a value."""

import numpy as np
import pytest
from xdsl.parser import Parser

from teloom.backend.interpreter.equations import InterpretError, interpret

SCAN = """
te.func @f(%m: index, %k: index, %X: tensor<?x2xi32>[%k, 2]) -> (tensor<?x2xi32>) {{
  %S = te.scan "S" (%t = %m, %i = 2) init %X until %k state %s : tensor<?x2xi32> {{
    %n = te.compute "n" (%u = %m, %j = 2) : tensor<?x2xi32> {{
      {body}
    }}
    te.yield %n : tensor<?x2xi32>
  }}
  te.return %S : tensor<?x2xi32>
}}
"""


@pytest.fixture
def run(ctx):
    """The scan over `m` times whose steps are this body, from the `initial` rows."""

    def run(body: str, m: int, initial: list[list[int]]) -> list[list[int]]:
        module = Parser(ctx, SCAN.format(body=body)).parse_module()
        module.verify()
        x = np.array(initial, "int32").reshape(-1, 2)
        return interpret(module, "f", [x], [m, len(x)])[0].tolist()

    return run


FIBONACCI = """
%a = te.read %s[%u - 1, %j] : i32
%b = te.read %s[%u - 2, %j] : i32
%c = arith.addi %a, %b : i32
te.yield %c : i32
"""


def test_two_initial_steps(run):
    assert run(FIBONACCI, 5, [[1, 0], [1, 2]]) == [[1, 0], [1, 2], [2, 2], [3, 4], [5, 6]]


@pytest.mark.parametrize("m", [0, 1, 2])
def test_no_more_than_the_initial_steps(run, m):
    assert run(FIBONACCI, m, [[1, 0], [1, 2]]) == [[1, 0], [1, 2]][:m]


def test_no_initial_step(run):
    body = """
    %zero = arith.constant 0 : index
    %first = arith.cmpi eq, %u, %zero : index
    %r = scf.if %first -> (i32) {
      %one = arith.constant 1 : i32
      scf.yield %one : i32
    } else {
      %a = te.read %s[%u - 1, 1 - %j] : i32
      %b = arith.addi %a, %a : i32
      scf.yield %b : i32
    }
    te.yield %r : i32
    """
    assert run(body, 3, []) == [[1, 1], [2, 2], [4, 4]]


def test_what_is_read_of_a_step_is_evaluated_and_no_more(ctx):
    """Elements of the steps that no state takes may read outside; others are evaluated once."""
    module = Parser(
        ctx,
        """
        te.func @f(%X: tensor<1xi32>) -> (tensor<4xi32>) {
          %S = te.scan "S" (%t = 4) init %X until 1 state %s : tensor<4xi32> {
            %whole = te.compute "whole" () : tensor<i32> {
              %a = te.read %s[0] : i32
              te.yield %a : i32
            }
            %shifted = te.compute "shifted" (%u = 9) : tensor<9xi32> {
              %a = te.read %s[%u - 3] : i32
              te.yield %a : i32
            }
            %n = te.compute "n" (%u = 4) : tensor<4xi32> {
              %a = te.read %shifted[%u + 2] : i32
              %b = te.read %whole[] : i32
              %c = arith.addi %a, %b : i32
              te.yield %c : i32
            }
            te.yield %n : tensor<4xi32>
          }
          te.return %S : tensor<4xi32>
        }""",
    ).parse_module()
    (found,) = interpret(module, "f", [np.array([3], "int32")])
    assert found.tolist() == [3, 6, 9, 12]


@pytest.mark.parametrize(
    ("subscript", "words"),
    [
        ("%u", 'step 1 reads S at time 1, not before its own, in stage "n" at %u = 1, %j = 0'),
        ("%u - 2", 'subscript 0 of %s is -1, outside its extent 3, in stage "n" at %u = 1'),
    ],
)
def test_refused_reads(run, subscript, words):
    body = f"%a = te.read %s[{subscript}, %j] : i32\nte.yield %a : i32"
    with pytest.raises(InterpretError) as error:
        run(body, 3, [[1, 2]])
    assert words in str(error.value)


def test_an_init_that_is_too_short(ctx):
    module = Parser(ctx, SCAN.format(body=FIBONACCI).replace("until %k", "until 3")).parse_module()
    with pytest.raises(
        InterpretError, match='subscript 0 is 2, outside the extent 2, in stage "S"'
    ):
        interpret(module, "f", [np.ones((2, 2), "int32")], [5, 2])


def test_too_many_points(ctx):
    module = Parser(ctx, SCAN.format(body=FIBONACCI)).parse_module()
    with pytest.raises(InterpretError, match=r"its \d+ points do not fit in memory"):
        interpret(module, "f", [np.ones((2, 2), "int32")], [2**60, 2])


def test_too_many_steps(ctx):
    chain = "\n".join(
        f"""%c{k + 1} = te.compute "c{k + 1}" (%u = 3) : tensor<3xi32> {{
          %a = te.read %c{k}[%u] : i32
          te.yield %a : i32
        }}"""
        for k in range(500)
    )
    text = f"""
    te.func @f(%X: tensor<1xi32>) -> (tensor<3xi32>) {{
      %S = te.scan "S" (%t = 3) init %X until 1 state %s : tensor<3xi32> {{
        %c0 = te.compute "c0" (%u = 3) : tensor<3xi32> {{
          %a = te.read %s[%u - 1] : i32
          te.yield %a : i32
        }}
        {chain}
        te.yield %c500 : tensor<3xi32>
      }}
      te.return %S : tensor<3xi32>
    }}"""
    with pytest.raises(InterpretError, match="its 501 steps read each other too deeply"):
        interpret(Parser(ctx, text).parse_module(), "f", [np.ones(1, "int32")])
