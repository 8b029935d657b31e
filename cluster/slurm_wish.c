// SPDX-License-Identifier: Apache-2.0
// What a user asks of Slurm, as one word.
#include "cluster/cluster.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/nearest.h"
#include "base/str.h"

enum { MAX_EACH = 1000 };

static const struct {
  const char *name, *option;
} wishes[] = {
#define WISH(name, option) {name, option},
#include "cluster/slurm_wish.def"
#undef WISH
};
enum { WISHES = sizeof wishes / sizeof *wishes };

static enum err refuse(const char *name, struct err_info *e) {
  struct nearest near = nearest_to(name);
  char hint[NEAREST_HINT];
  struct str all = STR_INIT;
  for (int i = 0; i < WISHES; i++) {
    nearest_try(&near, wishes[i].name, strlen(wishes[i].name));
    str_addf(&all, "%s%s", i ? ", " : "", wishes[i].name);
  }
  err_set(e, ERR_ARGUMENT,
          "of Slurm nothing is asked by the name \"%.60s\"%s; there are: "
          "%s",
          name, nearest_hint(hint, &near, "", "?"), all.data);
  str_free(&all);
  return ERR_ARGUMENT;
}

static bool is_value(const char *text) {
  for (const char *p = text; *p; p++)
    if ((unsigned char)*p <= ' ' || *p == 127)
      return false;
  return *text;
}

static enum err take(struct slurm_wish *w, char *part, struct err_info *e) {
  char *equal = strchr(part, '=');
  const char *value = equal ? equal + 1 : "";
  if (equal)
    *equal = 0;
  int row = 0;
  while (row < WISHES && strcmp(wishes[row].name, part))
    row++;
  if (row == WISHES)
    return refuse(part, e);
  if (!is_value(value))
    return err_set(e, ERR_ARGUMENT, "slurm: %s needs a value, %s=...", part,
                   part);
  if (!*wishes[row].option) {
    char *end;
    long n = strtol(value, &end, 10);
    if (*end || n < 1 || n > MAX_EACH)
      return err_set(e, ERR_ARGUMENT, "slurm: %s takes a number from 1 to %d",
                     part, MAX_EACH);
    w->each = (int)n;
    return ERR_OK;
  }
  if (w->count == SLURM_MAX_WISHES)
    return err_set(e, ERR_ARGUMENT, "slurm: so much is not asked at once");
  w->options[w->count++] = xasprintf("%s%s", wishes[row].option, value);
  return ERR_OK;
}

enum err slurm_wish_parse(const char *text, struct slurm_wish *out,
                          struct err_info *e) {
  char *copy = xstrdup(text), *rest = copy;
  *out = (struct slurm_wish){0};
  enum err err = ERR_OK;
  for (char *part; !err && *text && (part = strsep(&rest, ","));)
    err = take(out, part, e);
  free(copy);
  if (err)
    slurm_wish_free(out);
  return err;
}

bool slurm_wish_has(const struct slurm_wish *w, const char *option) {
  size_t bytes = strlen(option);
  for (int i = 0; i < w->count; i++)
    if (!strncmp(w->options[i], option, bytes) && w->options[i][bytes] == '=')
      return true;
  return false;
}

void slurm_wish_free(struct slurm_wish *w) {
  for (int i = 0; i < w->count; i++)
    free(w->options[i]);
  *w = (struct slurm_wish){0};
}
