// SPDX-License-Identifier: Apache-2.0
#include "class/due.h"

#include <string.h>

#include "class/book/book.h"
#include "class/return.h"

struct search {
  const char *exercise;
  json_t *last; // what was told of it last
};

static void look(void *context, const struct return_item *item) {
  struct search *s = context;
  const char *exercise =
      json_string_value(json_object_get(item->body, "exercise"));
  if (strcmp(item->kind, "due") != 0 || !exercise ||
      strcmp(exercise, s->exercise) != 0)
    return;
  json_decref(s->last);
  s->last = json_deep_copy(item->body);
}

void due_add(const char *room, const char *exercise, int64_t time_s,
             struct str *out) {
  struct search s = {exercise, NULL};
  struct err_info e;
  struct room *r;
  int64_t to;
  enum err err = room_open(room, &r, &e);
  if (!err) {
    err = return_read(r, 0, &to, look, &s, &e);
    room_close(r);
  }
  if (err)
    str_addf(out, "Whether it is in time cannot be said here: %s\n", e.text);
  else if (s.last)
    book_add_late(s.last, time_s, out);
  json_decref(s.last);
}
