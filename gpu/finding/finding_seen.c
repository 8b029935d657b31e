// SPDX-License-Identifier: Apache-2.0
// What an access wrote or read while the launch ran, as its type is written. Where
// the source does not show the type for certain, nothing is said.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/finding/finding.h"
#include "gpu/finding/finding_place.h"

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

// ---- Shared variables ----

// Is the name declared between `from` and `end`, which is a list of declarators?
static const char *find_declared(const char *from, const char *end,
                                 const char *name) {
  size_t n = strlen(name);
  for (const char *c = from; n && c + n <= end; c++)
    if (!strncmp(c, name, n) && (c == from || !finding_is_word(c[-1])) &&
        !finding_is_word(c[n]))
      return c;
  return NULL;
}

// The type that stands behind "__shared__": the words before the first declarator.
static void read_type(const char *from, const char *end, char *out,
                      size_t bytes) {
  size_t used = 0;
  out[0] = 0;
  for (const char *c = from; c < end;) {
    c += strspn(c, " \t\r\n");
    size_t n = 0;
    while (c + n < end && finding_is_word(c[n]))
      n++;
    const char *after = c + n + strspn(c + n, " \t\r\n");
    if (!n || strchr("[,;=(", *after)) // the declarator, or no plain type
      return;
    bool is_ignored = !strncmp(c, "volatile", n) || !strncmp(c, "const", n);
    if (!is_ignored && used + n + 2 < bytes)
      used += (size_t)snprintf(out + used, bytes - used, "%s%.*s",
                               used ? " " : "", (int)n, c);
    c += n;
  }
}

// Of the block's variable of that name; "" where the source has none, or several of
// different types.
static void shared_type(const struct finding_subject *s, char *out,
                        size_t bytes) {
  static const char word[] = "__shared__";
  out[0] = 0;
  if (!s->scene.source || !s->array[0])
    return;
  char *code = xstrdup(s->scene.source);
  finding_blank_words(code);
  for (const char *c = code; (c = strstr(c, word));) {
    char type[64];
    c += sizeof word - 1;
    const char *end = c + strcspn(c, ";");
    if (!find_declared(c, end, s->array))
      continue;
    read_type(c, end, type, sizeof type);
    if (!*type || (*out && strcmp(out, type) != 0)) {
      out[0] = 0;
      break;
    }
    snprintf(out, bytes, "%s", type);
  }
  free(code);
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
  char type[64];
  if (s->finding->space == GPU_SPACE_SHARED)
    shared_type(s, type, sizeof type);
  else
    snprintf(type, sizeof type, "%s", s->type);
  const struct scalar *x = find_scalar(type);
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
