// SPDX-License-Identifier: Apache-2.0
// What learners are told of their deadlines.
#include <stdlib.h>

#include "class/book/book.h"
#include "class/book/rule.h"

void book_describe_due(const json_t *body, struct str *out) {
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

void book_add_late(const json_t *body, int64_t time_s, struct str *out) {
  struct rule rule;
  struct str line = STR_INIT;
  rule_from_json(json_object_get(body, "rule"), &rule);
  book_describe_due(body, &line);
  if (rule.due_ms) {
    str_add(&line, ": ");
    rule_late_share(&rule, time_s * 1000, &line);
  }
  str_addf(out, "It %s %s.\n", rule.due_ms ? "is" : "has", line.data);
  str_free(&line);
}
