// SPDX-License-Identifier: Apache-2.0
#include "class/due.h"

#include <stdlib.h>
#include <string.h>

#include "class/book/rule.h"
#include "class/return.h"

void due_describe(const json_t *body, struct str *out) {
  struct rule rule;
  rule_from_json(json_object_get(body, "rule"), &rule);
  if (!rule.due_ms) {
    str_add(out, "no deadline");
    return;
  }
  char *time = rule_show_time(rule.due_ms);
  str_addf(out, "due %s%s", time,
           json_is_true(json_object_get(body, "is_extended"))
               ? ", your own deadline"
               : "");
  free(time);
}

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

static void add_line(const json_t *body, int64_t time_s, struct str *out) {
  struct rule rule;
  struct str line = STR_INIT;
  rule_from_json(json_object_get(body, "rule"), &rule);
  due_describe(body, &line);
  if (rule.due_ms) {
    str_add(&line, ": ");
    rule_late_share(&rule, time_s * 1000, &line);
  }
  str_addf(out, "It %s %s.\n", rule.due_ms ? "is" : "has", line.data);
  str_free(&line);
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
    add_line(s.last, time_s, out);
  json_decref(s.last);
}
