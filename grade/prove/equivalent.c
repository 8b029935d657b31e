// SPDX-License-Identifier: Apache-2.0
// Reads what an exercise lists as equivalent.
#include "grade/prove/equivalent.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

enum { MAX_FILE_BYTES = 1 << 20 };

static void add(struct equivalents *q, int line, const char *text,
                size_t bytes) {
  size_t count = (size_t)q->count + 1;
  q->list = xrealloc(q->list, count * sizeof *q->list);
  q->list[q->count++] =
      (struct equivalent){.line = line, .id = xstrndup(text, bytes)};
}

// A reason is for the edits above it that have none yet, or goes on theirs.
static void add_reason(struct equivalents *q, int from, const char *text,
                       size_t bytes) {
  for (int i = from; i < q->count; i++) {
    char *had = q->list[i].reason;
    q->list[i].reason = had ? xasprintf("%s %.*s", had, (int)bytes, text)
                            : xstrndup(text, bytes);
    free(had);
  }
}

static void read_lines(struct equivalents *q, const char *text) {
  int line = 0, group = 0;
  bool is_reason = false;
  for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at != 0) {
    size_t indent = strspn(at, " \t"), bytes = strcspn(at, "\n");
    line++;
    while (bytes > indent && strchr(" \t\r", at[bytes - 1]))
      bytes--;
    if (bytes <= indent || at[0] == '#')
      continue;
    if (indent) {
      add_reason(q, group, at + indent, bytes - indent);
      is_reason = true;
      continue;
    }
    if (is_reason)
      group = q->count;
    is_reason = false;
    add(q, line, at, bytes);
  }
}

enum err equivalents_read(const struct exercise *ex, struct equivalents *out,
                          struct err_info *e) {
  char *path = xasprintf("%s/equivalent", ex->folder), *text = NULL;
  size_t bytes;
  *out = (struct equivalents){0};
  enum err err = access(path, F_OK)
                     ? ERR_OK
                     : file_read(path, MAX_FILE_BYTES, &text, &bytes, e);
  if (text)
    read_lines(out, text);
  for (int i = 0; i < out->count && !err; i++)
    if (!out->list[i].reason)
      err = err_set(e, ERR_ARGUMENT,
                    "%s, line %d: \"%s\" has no reason below it, indented",
                    path, out->list[i].line, out->list[i].id);
  if (err)
    equivalents_free(out);
  free(text);
  free(path);
  return err;
}

void equivalents_free(struct equivalents *q) {
  for (int i = 0; i < q->count; i++) {
    free(q->list[i].id);
    free(q->list[i].reason);
  }
  free(q->list);
  *q = (struct equivalents){0};
}

struct equivalent *equivalents_find(const struct equivalents *q,
                                    const char *id) {
  for (int i = 0; i < q->count; i++)
    if (!strcmp(q->list[i].id, id))
      return &q->list[i];
  return NULL;
}
