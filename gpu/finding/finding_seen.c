// SPDX-License-Identifier: Apache-2.0
// What an access wrote or read while the launch ran, as its type is written. Where
// the source does not show the type for certain, nothing is said.
#include <inttypes.h>
#include <string.h>

#include "gpu/finding/finding.h"
#include "gpu/finding/finding_shared.h"

// Of the types whose bits are known: their size, and i, u or f.
static const struct scalar {
  const char *name;
  uint32_t bytes;
  char kind;
} scalars[] = {
    {"float", 4, 'f'},        {"double", 8, 'f'},
    {"int", 4, 'i'},          {"unsigned", 4, 'u'},
    {"unsigned int", 4, 'u'}, {"long long", 8, 'i'},
    {"short", 2, 'i'},        {"unsigned short", 2, 'u'},
    {"int32_t", 4, 'i'},      {"uint32_t", 4, 'u'},
    {"int64_t", 8, 'i'},      {"uint64_t", 8, 'u'},
    {"size_t", 8, 'u'},       {"unsigned long long", 8, 'u'},
};

static const struct scalar *find_scalar(const char *name) {
  for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
    if (!strcmp(scalars[i].name, name))
      return &scalars[i];
  return NULL;
}

// ---- The value ----

static void add_whole(struct str *out, const uint8_t *at, uint32_t bytes,
                      bool is_signed) {
  uint64_t bits = 0;
  memcpy(&bits, at, bytes);
  uint64_t sign = UINT64_C(1) << (bytes * 8 - 1);
  if (is_signed && bits & sign)
    str_addf(out, "%" PRId64, (int64_t)(bits | ~(sign | (sign - 1))));
  else
    str_addf(out, "%" PRIu64, bits);
}

void finding_add_seen(struct str *out, const struct finding_subject *s,
                      const struct gpu_place *p) {
  struct str type = STR_INIT;
  if (s->finding->space != GPU_SPACE_SHARED)
    str_add(&type, s->type);
  else if (s->scene.source)
    finding_shared_type(s->scene.source, s->array, &type);
  const struct scalar *x = find_scalar(type.len ? type.data : "");
  str_free(&type);
  if (!x || x->bytes != p->seen.bytes)
    return;
  if (x->kind != 'f') {
    add_whole(out, p->seen.value, x->bytes, x->kind == 'i');
  } else if (x->bytes == 4) {
    float single;
    memcpy(&single, p->seen.value, sizeof single);
    str_add_float(out, single, true);
  } else {
    double wide;
    memcpy(&wide, p->seen.value, sizeof wide);
    str_add_float(out, wide, false);
  }
}
