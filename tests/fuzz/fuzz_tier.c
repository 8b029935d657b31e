// SPDX-License-Identifier: Apache-2.0
// Plans every kernel of a text for some shapes of blocks, and emits what is not refused.
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "gpu/ptx/ptx.h"
#include "gpu/vgpu/tier/tier_emit.h"

static void plan(const struct ptx_func *f, const uint32_t shape[3],
                 bool is_checked) {
  struct str text = STR_INIT;
  struct tier_decoded *none = xcalloc((size_t)f->code_count + 1, sizeof *none);
  struct tier_plan *p =
      tier_plan_new(f, shape, f->shared_bytes, is_checked ? none : NULL);
  if (!p->refusal[0])
    tier_emit(p, "", &text);
  str_free(&text);
  tier_plan_free(p);
  free(none);
}

void fuzz_tier(const uint8_t *data, size_t size) {
  static const uint32_t shapes[][3] = {{64, 1, 1}, {24, 4, 1}, {10, 3, 2}};
  char *text = xmalloc(size ? size : 1);
  memcpy(text, data, size);
  struct ptx_module *m;
  struct err_info e;
  if (!ptx_parse(text, size, &m, &e)) {
    for (int n = 0; n < m->func_count; n++)
      for (size_t s = 0; m->funcs[n]->is_entry && s < 6; s++)
        plan(m->funcs[n], shapes[s / 2], s % 2);
    ptx_free(m);
  }
  free(text);
}
