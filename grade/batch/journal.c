// SPDX-License-Identifier: Apache-2.0
#include "grade/batch/journal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/record.h"

enum { MAX_FILE_BYTES = 1 << 30 };

struct verdict_journal {
  char *path;
  int fd;
  json_t *old; // verdicts by their keys
};

static void take_record(void *context, char *payload) {
  struct verdict_journal *j = context;
  json_t *o = json_loads(payload, 0, NULL);
  const char *key = json_string_value(json_object_get(o, "key"));
  json_t *verdict = json_object_get(o, "verdict");
  if (key && json_is_object(verdict))
    json_object_set(j->old, key, verdict);
  json_decref(o);
}

// Somebody's file with another meaning is left as it is.
static enum err read_old(struct verdict_journal *j, bool wants_old,
                         struct err_info *e) {
  char *data;
  size_t bytes;
  if (access(j->path, F_OK))
    return ERR_OK;
  enum err err = file_read(j->path, MAX_FILE_BYTES, &data, &bytes, e);
  if (err)
    return err;
  size_t skipped = record_read(data, bytes, take_record, j);
  free(data);
  if (skipped && !json_object_size(j->old))
    return err_set(e, ERR_ARGUMENT,
                   "%s: this is no journal of verdicts; name another file with "
                   "--journal",
                   j->path);
  if (!wants_old)
    json_object_clear(j->old);
  return ERR_OK;
}

enum err verdict_journal_open(const char *path, bool wants_old,
                              struct verdict_journal **out,
                              struct err_info *e) {
  struct verdict_journal *j = xcalloc(1, sizeof *j);
  j->path = xstrdup(path);
  j->fd = -1;
  j->old = json_object();
  enum err err = read_old(j, wants_old, e);
  if (!err)
    err = record_open(path, 0600, &j->fd, e);
  if (err) {
    verdict_journal_close(j);
    j = NULL;
  }
  *out = j;
  return err;
}

void verdict_journal_close(struct verdict_journal *j) {
  if (!j)
    return;
  if (j->fd >= 0)
    close(j->fd);
  json_decref(j->old);
  free(j->path);
  free(j);
}

json_t *verdict_journal_find(const struct verdict_journal *j, const char *key) {
  return json_object_get(j->old, key);
}

enum err verdict_journal_add(struct verdict_journal *j, const char *key,
                             json_t *verdict, struct err_info *e) {
  json_t *o = json_pack("{s:s,s:O}", "key", key, "verdict", verdict);
  char *text = json_dumps(o, JSON_COMPACT);
  enum err err = record_append(j->fd, j->path, text, strlen(text), e);
  free(text);
  json_decref(o);
  return err;
}
