// SPDX-License-Identifier: Apache-2.0
#include "class/book/return.h"

#include "class/book/evidence.h"
#include "class/book/export.h"
#include "class/book/mark.h"

static json_t *mark_body(const char *exercise, const json_t *mark) {
  json_t *comment = json_object_get(mark, "comment");
  json_t *note = json_object_get(mark, "note");
  json_t *o = json_pack("{s:s,s:O,s:O,s:O}", "exercise", exercise, "mark",
                        json_object_get(mark, "mark"), "of",
                        json_object_get(mark, "of"), "explain",
                        json_object_get(mark, "explain"));
  if (json_is_string(note))
    json_object_set(o, "note", note);
  if (json_is_string(comment))
    json_object_set(o, "comment", comment);
  return o;
}

// NULL: nothing was said. The event's number tells a deadline that was moved there and
// back from the first one.
static json_t *due_body(struct book *b, const char *exercise, int64_t learner) {
  struct marks *m = marks_open(b, exercise_find(b, exercise));
  struct marks_rule said;
  marks_rule_of(m, learner, &said);
  marks_close(m);
  return said.event
             ? json_pack("{s:s,s:o,s:b,s:I}", "exercise", exercise, "rule",
                         rule_json(&said.rule), "is_extended", said.is_extended,
                         "event", (json_int_t)said.event)
             : NULL;
}

static void add(json_t *list, const json_t *learner, const char *kind,
                json_t *body) {
  if (body)
    json_array_append_new(list, json_pack("{s:O,s:s,s:o}", "learner",
                                          json_object_get(learner, "learner"),
                                          "kind", kind, "body", body));
}

json_t *return_bodies(struct book *b) {
  json_t *o = export_marks(b, NULL, NULL), *list = json_array();
  json_t *learner, *mark;
  const char *exercise;
  size_t i;
  json_array_foreach(json_object_get(o, "learners"), i, learner) {
    int64_t id =
        learner_find(b, json_string_value(json_object_get(learner, "learner")));
    json_object_foreach(json_object_get(learner, "marks"), exercise, mark) {
      add(list, learner, "due", due_body(b, exercise, id));
      if (!json_is_null(json_object_get(mark, "mark")) ||
          !json_is_null(json_object_get(mark, "comment")))
        add(list, learner, "mark", mark_body(exercise, mark));
    }
  }
  json_decref(o);
  return list;
}
