// SPDX-License-Identifier: Apache-2.0
// A file of lines "PROGRAM KEY ANSWER", added to as answers come, so that a run
// that is interrupted loses none; lines of another program are left out when the
// file is opened.
#include "grade/prove/cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/str.h"
#include "grade/verdict/verdict.h"

enum { MAX_FILE_BYTES = 256 << 20, HASH_BYTES = 32 };

struct cache {
  char *path; // NULL: nothing is kept
  const char *program;
  char exercise[VERSION_HEX];
  char *lines; // that were read; the map's values point into it
  struct map *answers;
};

static void make_key(const struct cache *c, const char *task, const char *text,
                     char out[SEED_HEX]) {
  char *all = xasprintf("%s\n%s\n%s", c->exercise, task, text);
  sha256_hex(all, strlen(all), out);
  out[HASH_BYTES] = 0;
  free(all);
}

// "PROGRAM KEY ANSWER"; `line` is cut into its parts. Whether it is this
// program's.
static bool take_line(struct cache *c, char *line) {
  char *key = strchr(line, ' '), *answer = key ? strchr(key + 1, ' ') : NULL;
  if (!answer || (size_t)(key - line) != strlen(c->program) ||
      memcmp(line, c->program, strlen(c->program)))
    return false;
  map_set(c->answers, key + 1, (size_t)(answer - key - 1), answer + 1);
  return true;
}

static void load(struct cache *c) {
  size_t bytes;
  struct err_info e;
  struct str kept = STR_INIT;
  bool is_whole = true;
  if (file_read(c->path, MAX_FILE_BYTES, &c->lines, &bytes, &e))
    return;
  for (char *line = c->lines, *end; (end = strchr(line, '\n'));
       line = end + 1) {
    size_t n = (size_t)(end - line);
    char *copy = xstrndup(line, n);
    *end = 0;
    if (take_line(c, line))
      str_addf(&kept, "%s\n", copy);
    else
      is_whole = false;
    free(copy);
  }
  if (!is_whole)
    file_replace(c->path, kept.data, kept.len, NULL);
  str_free(&kept);
}

static char *find_path(const struct exercise *ex) {
  char *root = file_xdg(XDG_CACHE), hex[SEED_HEX];
  if (!root)
    return NULL;
  char *folder = xasprintf("%s/prove", root), *path = NULL;
  char *whole = realpath(ex->folder, NULL);
  sha256_hex(whole ? whole : "", whole ? strlen(whole) : 0, hex);
  if (!file_make_folder(folder, NULL))
    path = xasprintf("%s/%s-%.8s", folder, ex->name, hex);
  free(whole);
  free(folder);
  free(root);
  return path;
}

struct cache *cache_open(const struct exercise *ex, const char *program) {
  struct cache *c = xcalloc(1, sizeof *c);
  version_of_exercise(ex, c->exercise);
  c->program = program;
  c->answers = map_new();
  c->path = find_path(ex);
  if (c->path)
    load(c);
  return c;
}

void cache_close(struct cache *c) {
  if (!c)
    return;
  map_free(c->answers);
  free(c->lines);
  free(c->path);
  free(c);
}

const char *cache_get(struct cache *c, const char *task, const char *text) {
  char key[SEED_HEX];
  make_key(c, task, text, key);
  return map_get(c->answers, key, strlen(key));
}

void cache_put(struct cache *c, const char *task, const char *text,
               const char *answer) {
  char key[SEED_HEX];
  make_key(c, task, text, key);
  FILE *f = c->path ? fopen(c->path, "a") : NULL;
  if (!f)
    return;
  fprintf(f, "%s %s %s\n", c->program, key, answer);
  fclose(f);
}
