/* A product of two matrices with the library that examples/export_matmul.py writes. */
#include "mm.h"

#include <stdio.h>

enum { ROWS = 3, INNER = 4, COLUMNS = 5 };

int main(void) {
  float a[ROWS * INNER], b[INNER * COLUMNS], c[ROWS * COLUMNS];
  for (int i = 0; i < ROWS * INNER; ++i) a[i] = (float)i;
  for (int i = 0; i < INNER * COLUMNS; ++i) b[i] = (float)(i % 3);

  int32_t status = mm(ROWS, INNER, COLUMNS, a, b, c, NULL);
  if (status != TELOOM_OK) {
    fprintf(stderr, "%s\n", mm_error(status));
    return 1;
  }
  for (int i = 0; i < ROWS; ++i) {
    for (int j = 0; j < COLUMNS; ++j) printf("%g ", (double)c[i * COLUMNS + j]);
    printf("\n");
  }
  return 0;
}
