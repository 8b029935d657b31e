// SPDX-License-Identifier: Apache-2.0
// Marks as the tables (CSV) that course systems import: nbgrader (the columns of
// its own CSV exporter, and `id` for `nbgrader db student import`), Canvas ("Import
// grades": a row of points possible, students found by their login), Moodle
// ("Grade import": columns are mapped by their headings).
//
// Of several hand-ins of one learner for one exercise the best counts. A cell is
// empty where there is no mark, which leaves the other system's as it is.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/mem.h"
#include "grade/report/fields.h"
#include "grade/report/report.h"

struct table {
  json_t *learners;  // {learner: {exercise: the best verdict}}
  json_t *exercises; // {exercise: points that are possible}
};

// Whose it is: where nobody said it, the file's name without its ending.
static char *learner_of(const json_t *v) {
  const char *name = field_text(field(v, "evidence"), "learner");
  const char *file = field_text(v, "submission"), *dot = strrchr(file, '.');
  if (*name)
    return xstrdup(name);
  return xstrndup(file,
                  dot && dot > file ? (size_t)(dot - file) : strlen(file));
}

// An error of ours has no mark, so that anything is better.
static double rank_of(const json_t *v) {
  double earned = v ? field_score(v, "earned") : NAN;
  return isnan(earned) ? -1 : earned;
}

static void take(struct table *t, json_t *v) {
  const char *exercise = field_text(v, "exercise");
  char *learner = learner_of(v);
  json_t *of = field(t->learners, learner);
  if (!of) {
    of = json_object();
    json_object_set_new(t->learners, learner, of);
  }
  if (!field(of, exercise) || rank_of(v) > rank_of(field(of, exercise)))
    json_object_set(of, exercise, v);
  json_object_set_new(t->exercises, exercise,
                      json_real(field_score(v, "possible")));
  free(learner);
}

static struct table open_table(json_t *const *list, int count) {
  struct table t = {json_object(), json_object()};
  for (int i = 0; i < count; i++)
    take(&t, list[i]);
  return t;
}

static char *close_table(struct table *t, struct csv *c) {
  json_decref(t->learners);
  json_decref(t->exercises);
  return csv_take(c);
}

// What a learner is told in one cell.
static char *feedback_of(const json_t *v) {
  const json_t *first = json_array_get(field(v, "diagnostics"), 0);
  const char *text = field_text(first, "message");
  return xasprintf("%s%s%s", field_text(v, "verdict"), *text ? ": " : "", text);
}

static void add_keys(struct csv *c, const char *const *keys, size_t count) {
  for (size_t i = 0; i < count; i++)
    csv_key(c, keys[i]);
}

// ---- nbgrader ----

// What was not handed in has no points, as in nbgrader's own table.
char *report_nbgrader(json_t *const *list, int count) {
  static const char *const keys[] = {
      "assignment", "duedate",   "timestamp",
      "student_id", "last_name", "first_name",
      "email",      "raw_score", "late_submission_penalty",
      "score",      "max_score", "id"};
  struct table t = open_table(list, count);
  struct csv c = CSV_INIT;
  const char *exercise, *learner;
  json_t *possible, *of;
  add_keys(&c, keys, sizeof keys / sizeof *keys);
  csv_end_row(&c);
  json_object_foreach(t.exercises, exercise, possible) {
    json_object_foreach(t.learners, learner, of) {
      const json_t *v = field(of, exercise);
      double earned = v ? field_score(v, "earned") : 0;
      add_keys(&c, (const char *const[]){exercise, "", "", learner}, 4);
      add_keys(&c, (const char *const[]){"", "", ""}, 3);
      csv_number(&c, earned);
      csv_number(&c, 0);
      csv_number(&c, earned);
      csv_number(&c, json_number_value(possible));
      csv_key(&c, learner);
      csv_end_row(&c);
    }
  }
  return close_table(&t, &c);
}

// ---- Canvas ----

char *report_canvas(json_t *const *list, int count) {
  static const char *const keys[] = {"Student", "ID", "SIS User ID",
                                     "SIS Login ID", "Section"};
  struct table t = open_table(list, count);
  struct csv c = CSV_INIT;
  const char *exercise, *learner;
  json_t *possible, *of;
  add_keys(&c, keys, sizeof keys / sizeof *keys);
  json_object_foreach(t.exercises, exercise, possible) {
    csv_key(&c, exercise);
  }
  csv_end_row(&c);
  add_keys(&c, (const char *const[]){"Points Possible", "", "", "", ""}, 5);
  json_object_foreach(t.exercises, exercise, possible) {
    csv_number(&c, json_number_value(possible));
  }
  csv_end_row(&c);
  json_object_foreach(t.learners, learner, of) {
    csv_text(&c, learner);
    add_keys(&c, (const char *const[]){"", "", learner, ""}, 4);
    json_object_foreach(t.exercises, exercise, possible) {
      const json_t *v = field(of, exercise);
      csv_number(&c, v ? field_score(v, "earned") : NAN);
    }
    csv_end_row(&c);
  }
  return close_table(&t, &c);
}

// ---- Moodle ----

// Feedback without a mark would wipe out the mark that is there.
static void add_moodle_cells(struct csv *c, const json_t *v) {
  double earned = v ? field_score(v, "earned") : NAN;
  char *feedback = isnan(earned) ? xstrdup("") : feedback_of(v);
  csv_number(c, earned);
  csv_text(c, feedback);
  free(feedback);
}

char *report_moodle(json_t *const *list, int count) {
  struct table t = open_table(list, count);
  struct csv c = CSV_INIT;
  const char *exercise, *learner;
  json_t *possible, *of;
  csv_key(&c, "username");
  json_object_foreach(t.exercises, exercise, possible) {
    char *heading = xasprintf("%s (feedback)", exercise);
    csv_key(&c, exercise);
    csv_key(&c, heading);
    free(heading);
  }
  csv_end_row(&c);
  json_object_foreach(t.learners, learner, of) {
    csv_key(&c, learner);
    json_object_foreach(t.exercises, exercise, possible) {
      add_moodle_cells(&c, field(of, exercise));
    }
    csv_end_row(&c);
  }
  return close_table(&t, &c);
}
