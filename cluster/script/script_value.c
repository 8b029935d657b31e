// SPDX-License-Identifier: Apache-2.0
// Values of sbatch's options, and what can be asked about.
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cluster/script/script.h"

static const struct {
  const char *word;
  enum script_value kind;
} wishes[] = {
#define WISH(name, word, kind) {word, SCRIPT_##kind},
#include "cluster/script/script_wish.def"
#undef WISH
};

const char *script_wish_name(enum script_wish w) {
  return wishes[w].word;
}

enum script_value script_wish_value(enum script_wish w) {
  return wishes[w].kind;
}

enum script_wish script_wish_find(const char *word) {
  int w = 0;
  while (w < SCRIPT_WISHES && strcmp(wishes[w].word, word))
    w++;
  return (enum script_wish)w;
}

// Digits up to one of `ends`; `*at` then stands behind them.
static bool read_digits(const char **at, int64_t *out) {
  size_t n = strspn(*at, "0123456789");
  if (!n || n > 9)
    return false;
  *out = strtoll(*at, NULL, 10);
  *at += n;
  return true;
}

// minutes, minutes:seconds, hours:minutes:seconds, days-hours,
// days-hours:minutes, days-hours:minutes:seconds
static bool read_time(const char *text, int64_t *out) {
  int64_t part[4] = {0};
  int count = 0;
  const char *at = text;
  bool has_days = strchr(text, '-') != NULL;
  if (!read_digits(&at, &part[count++]))
    return false;
  for (; *at && count < 4; count++) {
    if (*at++ != (has_days && count == 1 ? '-' : ':') ||
        !read_digits(&at, &part[count]))
      return false;
  }
  if (*at || (!has_days && count == 4))
    return false;
  static const int64_t units[][4] = {
      {60}, {60, 1}, {3600, 60, 1}, {86400, 3600, 60, 1}};
  const int64_t *unit = units[has_days ? 3 : count - 1];
  *out = 0;
  for (int i = 0; i < count; i++)
    *out += part[i] * unit[i];
  return true;
}

// Megabytes unless it says otherwise.
static bool read_memory(const char *text, int64_t *out) {
  static const char units[] = "KMGT";
  const char *at = text;
  if (!read_digits(&at, out))
    return false;
  const char *unit = *at ? strchr(units, *at & ~0x20) : NULL;
  if (*at && (!unit || !*unit))
    return false;
  at += unit != NULL;
  if (*at == 'B' || *at == 'b')
    at += unit != NULL;
  if (unit && *unit == 'K')
    *out = (*out + 1023) / 1024;
  for (const char *u = units + 1; unit && u < unit; u++)
    *out *= 1024;
  return !*at;
}

// "2", and of nodes the least of "2-4".
static bool read_count(const char *text, int64_t *out) {
  int64_t most;
  const char *at = text;
  return read_digits(&at, out) && *out > 0 &&
         (!*at || (*at == '-' && (at++, read_digits(&at, &most)) && !*at));
}

char *script_show_value(enum script_value kind, const char *text,
                        int64_t number) {
  long long n = number;
  switch (kind) {
  case SCRIPT_TEXT: return xstrdup(text);
  case SCRIPT_COUNT: return xasprintf("%lld", n);
  case SCRIPT_MEGABYTES: return xasprintf("%lld MB", n);
  case SCRIPT_SECONDS:
    return xasprintf("%lld:%02lld:%02lld", n / 3600, n / 60 % 60, n % 60);
  }
  return xstrdup("");
}

bool script_read_value(enum script_value kind, const char *text, int64_t *out) {
  switch (kind) {
  case SCRIPT_COUNT: return read_count(text, out);
  case SCRIPT_SECONDS: return read_time(text, out);
  case SCRIPT_MEGABYTES: return read_memory(text, out);
  case SCRIPT_TEXT: *out = 0; return true;
  }
  return false;
}
