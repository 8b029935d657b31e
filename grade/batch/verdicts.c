// SPDX-License-Identifier: Apache-2.0
// Verdicts that were made before, read again.
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/record.h"
#include "grade/batch/batch.h"

enum { MAX_BYTES = 1 << 30 };

static void take(json_t *verdicts, json_t *one) {
  const char *schema = json_string_value(json_object_get(one, "schema"));
  if (schema && !strcmp(schema, "warpshop.grade/1"))
    json_array_append(verdicts, one);
}

static void take_record(void *context, char *payload) {
  json_t *o = json_loads(payload, 0, NULL);
  take(context, json_object_get(o, "verdict"));
  json_decref(o);
}

enum err verdicts_read(const char *path, json_t **out, struct err_info *e) {
  char *text;
  size_t bytes, i;
  *out = NULL;
  enum err err = file_read(path, MAX_BYTES, &text, &bytes, e);
  if (err)
    return err;
  json_t *verdicts = json_array(), *one;
  json_t *o = json_loadb(text, bytes, 0, NULL);
  take(verdicts, o);
  json_array_foreach(json_object_get(o, "submissions"), i, one) {
    take(verdicts, one);
  }
  if (!o)
    record_read(text, bytes, take_record, verdicts);
  json_decref(o);
  free(text);
  if (json_array_size(verdicts)) {
    *out = verdicts;
    return ERR_OK;
  }
  json_decref(verdicts);
  return err_set(e, ERR_ARGUMENT,
                 "%s: neither what warpshop grade --json printed nor its "
                 "journal",
                 path);
}
