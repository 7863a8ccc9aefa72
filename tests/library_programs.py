"""Programs that tests export, and programs of C that call them."""

from contextlib import redirect_stderr
from functools import cache
from io import StringIO
from pathlib import Path

import teloom
from teloom import te
from teloom.driver.function import Function
from teloom.tools import translate


@cache
def blurred(name: str = "blur") -> Function:
    """Sums of neighbours, in two stages of which one is a temporary buffer, on several threads."""
    n, m = te.size_var("n"), te.size_var("m")
    A = te.placeholder((n, m + 2), name="A")
    B = te.compute((n, m + 2), lambda i, j: A[i, j] * 2.0, name="B")
    C = te.compute((n, m), lambda i, j: B[i, j] + B[i, j + 1] + B[i, j + 2], name="C")
    s = te.create_schedule(C.op)
    s[B].parallel(B.op.axis[0])
    s[C].parallel(C.op.axis[0], "dynamic")
    return teloom.build(s, [A, C], name=name)


PROGRAM = """
#include "blur.h"
#include <stdio.h>
#include <stdlib.h>

static int taken, held, parts_run;

static void *take(void *user, int64_t alignment, int64_t bytes) {
  if (user) return NULL;
  ++taken, ++held;
  bytes = (bytes + alignment - 1) / alignment * alignment;
  return aligned_alloc((size_t)alignment, (size_t)bytes);
}

static void give(void *user, void *memory) {
  (void)user;
  --held;
  free(memory);
}

static void backwards(void *user, void (*body)(void *, int32_t), void *data, int32_t parts) {
  (void)user;
  for (int32_t part = parts - 1; part >= 0; --part, ++parts_run) body(data, part);
}

enum { N = 7, M = 13 };

static void run(const teloom_context *context) {
  static float a[N * (M + 2)], c[N * M];
  int wrong = 0;
  for (int k = 0; k < N * (M + 2); ++k) a[k] = (float)(k % 11);
  for (int k = 0; k < N * M; ++k) c[k] = -1;
  int32_t status = blur(N, M, a, c, context);
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < M; ++j) {
      const float *row = &a[i * (M + 2) + j];
      wrong += c[i * M + j] != 2 * row[0] + 2 * row[1] + 2 * row[2];
    }
  printf("%s, %d wrong\\n", blur_error(status), wrong);
}

static void own_memory(teloom_context *context) {
  taken = 0;
  context->bytes = blur_workspace(N, M, context);
  context->memory = aligned_alloc(64, (size_t)context->bytes);
  run(context);
  printf("%d taken beside memory that is enough\\n", taken);
  context->bytes -= 1;
  run(context);
  printf("%d taken beside a byte less, %d held\\n", taken, held);
  free(context->memory);
  printf("%s\\n", blur_error((int32_t)blur_workspace(N, -1, context)));
}

int main(void) {
  int one = 1;
  float x = 0;
  teloom_context usual = {0};
  teloom_context own = {NULL, take, give, backwards, 3, NULL, 0};
  teloom_context poor = {&one, take, give, NULL, 0, NULL, 0};
  run(NULL);
  run(&usual);
  run(&own);
  printf("%d taken, %d held, %d parts\\n", taken, held, parts_run);
  own_memory(&own);
  run(&poor);
  printf("%s\\n", blur_error(blur(-1, M, &x, &x, NULL)));
  printf("%s\\n", blur_error(blur(N, M, NULL, &x, NULL)));
  printf("%s\\n", blur_error(blur(N, M, (float *)((char *)&x + 1), &x, NULL)));
  printf("%s\\n", blur_error(12345));
  return 0;
}
"""

SAID = """\
blur: it is done, 0 wrong
blur: it is done, 0 wrong
blur: it is done, 0 wrong
1 taken, 0 held, 6 parts
blur: it is done, 0 wrong
0 taken beside memory that is enough
blur: it is done, 0 wrong
1 taken beside a byte less, 0 held
blur: m must be from 0 to 1099511627776
blur: there is not enough memory for temporary buffers, 91 wrong
blur: n must be from 0 to 1099511627776
blur: A must be an address, a multiple of 4
blur: A must be an address, a multiple of 4
no status of this function
"""


TWICE = """
te.func @twice(%n: index, %A: tensor<?xf32>[%n]) -> (tensor<?xf32>) {
  %B = te.compute "B" (%i = %n) : tensor<?xf32> {
    %0 = te.read %A[%i] : f32
    %1 = arith.addf %0, %0 : f32
    te.yield %1 : f32
  }
  te.return %B : tensor<?xf32>
}
"""


def translated(folder: Path, text: str, kind: str, *options: str) -> tuple[int, Path, str]:
    """The exit code of `teloom-translate`, the file that it writes, and what it says."""
    source, made = folder / "source.mlir", folder / f"twice.{kind}"
    source.write_text(text)
    errors = StringIO()
    with redirect_stderr(errors):
        code = translate.main([str(source), "--to", kind, "-o", str(made), *options])
    return code, made, errors.getvalue()
