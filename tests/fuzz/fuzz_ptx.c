// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/ptx/ptx.h"

void fuzz_ptx(const uint8_t *data, size_t size) {
  // A copy without a zero behind it, so that a read past the end shows.
  char *text = xmalloc(size ? size : 1);
  memcpy(text, data, size);
  struct ptx_module *m;
  struct err_info e;
  if (!ptx_parse(text, size, &m, &e))
    ptx_free(m);
  free(text);
}
