// SPDX-License-Identifier: Apache-2.0
// From addresses to what the source and the prompt call them.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "repl/picture/picture.h"

int picture_array(const struct lrequests *r, const struct gpu_request *q) {
  uint64_t at = q->lanes ? q->at[__builtin_ctz(q->lanes)] : 0;
  for (int i = 0; i < r->array_count; i++)
    if (at - r->arrays[i].base < r->arrays[i].bytes)
      return i;
  return -1;
}

uint32_t picture_cell_bytes(const struct lrequest_array *a,
                            const struct gpu_request *q) {
  return a->elem_bytes ? a->elem_bytes : q->bytes ? q->bytes : 1;
}

void picture_array_name(const struct lrequests *r, int array, struct str *out) {
  if (array < 0) {
    str_add(out, "memory of no array that is known");
    return;
  }
  const struct lrequest_array *a = &r->arrays[array];
  str_add(out, a->name);
  if (a->is_shared)
    str_add(out, " (shared)");
  else if (*a->variable && strcmp(a->variable, a->name) != 0)
    str_addf(out, " (%s)", a->variable);
}

// A kernel's own arrays have the indices of their declaration; what it was given
// is one row to it.
void picture_cell_name(const struct lrequests *r, int array, uint64_t at,
                       uint32_t cell_bytes, struct str *out) {
  const struct lrequest_array *a = array < 0 ? NULL : &r->arrays[array];
  if (!a) {
    str_addf(out, "0x%" PRIx64, at);
    return;
  }
  int64_t index = (int64_t)(at - a->base) / (int64_t)cell_bytes;
  str_add(out, a->name);
  if (!a->is_shared || a->ndim < 2 || index < 0) {
    str_addf(out, "[%" PRId64 "]", index);
    return;
  }
  int64_t step = 1;
  for (int d = 1; d < a->ndim; d++)
    step *= a->shape[d];
  for (int d = 0; d < a->ndim; d++) {
    str_addf(out, "[%" PRId64 "]", index / step);
    index %= step;
    step = d + 1 < a->ndim ? step / a->shape[d + 1] : 1;
  }
}

void picture_source_line(const struct lrequests *r, int line, struct str *out) {
  const char *s = r->source;
  for (int n = 1; s && n < line; n++) {
    s = strchr(s, '\n');
    s = s ? s + 1 : NULL;
  }
  if (!s || line < 1)
    return;
  s += strspn(s, " \t");
  str_addf(out, "%.*s", (int)strcspn(s, "\n"), s);
}

void picture_add_missing(const struct lrequests *r, struct str *out) {
  const struct gpu_requests *w = &r->what;
  if (w->kept == w->seen)
    return;
  str_addf(out,
           "Of %" PRIu64 " requests the first %" PRIu64
           " were kept: the picture is of these alone. A smaller grid fits "
           "whole.\n",
           w->seen, w->kept);
}
