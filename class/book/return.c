// SPDX-License-Identifier: Apache-2.0
#include "class/book/return.h"

#include "class/book/export.h"

static json_t *body_of(const char *exercise, const json_t *mark) {
  json_t *comment = json_object_get(mark, "comment");
  json_t *o = json_pack("{s:s,s:O,s:O,s:O}", "exercise", exercise, "mark",
                        json_object_get(mark, "mark"), "of",
                        json_object_get(mark, "of"), "explain",
                        json_object_get(mark, "explain"));
  if (json_is_string(comment))
    json_object_set(o, "comment", comment);
  return o;
}

json_t *return_bodies(struct book *b) {
  json_t *o = export_marks(b, NULL, NULL), *list = json_array();
  json_t *learner, *mark;
  const char *exercise;
  size_t i;
  json_array_foreach(json_object_get(o, "learners"), i, learner) {
    json_object_foreach(json_object_get(learner, "marks"), exercise, mark) {
      if (json_is_null(json_object_get(mark, "mark")) &&
          json_is_null(json_object_get(mark, "comment")))
        continue;
      json_array_append_new(list, json_pack("{s:O,s:o}", "learner",
                                            json_object_get(learner, "learner"),
                                            "body", body_of(exercise, mark)));
    }
  }
  json_decref(o);
  return list;
}
