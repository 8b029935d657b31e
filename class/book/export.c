// SPDX-License-Identifier: Apache-2.0
#include "class/book/export.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/csv.h"
#include "base/mem.h"
#include "class/book/evidence.h"
#include "class/book/mark.h"
#include "class/book/sql.h"
#include "grade/report/report.h"

// ---- Marks as JSON, of which the forms are made ----

static json_t *points(bool is_there, int64_t hundredths) {
  return !is_there                ? json_null()
         : hundredths % MARK_UNIT ? json_real((double)hundredths / MARK_UNIT)
                                  : json_integer(hundredths / MARK_UNIT);
}

static json_t *last_comment(struct book *b, int64_t learner, int64_t exercise) {
  struct book_said said;
  event_last(b, "comment", learner, exercise, &said);
  json_t *o = json_is_string(said.value) ? json_incref(said.value) : NULL;
  book_said_free(&said);
  return o ? o : json_null();
}

static json_t *lines_of(const char *text) {
  json_t *list = json_array();
  while (*text) {
    size_t n = strcspn(text, "\n");
    json_array_append_new(list, json_stringn(text, n));
    text += n + (text[n] == '\n');
  }
  return list;
}

// A sentence on a mark that is 0 for its time alone; null of all others.
static json_t *note_of(const struct mark *mark) {
  if (!mark->cutoff_ms)
    return json_null();
  char *time = rule_show_time(mark->cutoff_ms);
  json_t *o = json_sprintf("It came after the cutoff, %s.", time);
  free(time);
  return o;
}

static json_t *mark_row(struct marks *m, struct book *b, int64_t learner,
                        int64_t exercise) {
  struct mark mark;
  marks_of(m, learner, &mark);
  json_t *o = json_pack(
      "{s:o,s:o,s:o,s:I,s:b,s:i,s:o,s:o,s:o,s:I,s:I}", "mark",
      points(mark.is_there, mark.value), "of", points(mark.of > 0, mark.of),
      "late_off", points(mark.is_computed, mark.late_off), "verdict",
      (json_int_t)mark.verdict, "is_own", mark.override != 0, "unjudged",
      mark.unjudged, "note", note_of(&mark), "comment",
      last_comment(b, learner, exercise), "explain", lines_of(mark.steps.data),
      "due_ms", (json_int_t)mark.due_ms, "handed_in_ms",
      (json_int_t)mark.handed_in_ms);
  mark_free(&mark);
  return o;
}

static json_t *learner_json(struct book *b, int64_t id, const char *name,
                            const char *full_name) {
  json_t *aliases = json_object();
  for (struct sql_rows r =
           sql_rows(b,
                    "SELECT system || ':' || field, value FROM alias"
                    " WHERE learner = ?",
                    "i", id);
       sql_next(&r);)
    json_object_set_new(aliases, sql_column(&r, 0),
                        json_string(sql_column(&r, 1)));
  return json_pack("{s:s,s:s,s:o,s:{}}", "learner", name, "name", full_name,
                   "numbers", aliases, "marks");
}

static void add_exercise(struct book *b, json_t *o, int64_t exercise,
                         const char *name) {
  struct marks *m = marks_open(b, exercise);
  json_t *list = json_object_get(o, "learners"), *one;
  size_t i;
  double of = 0;
  json_array_foreach(list, i, one) {
    int64_t id =
        learner_find(b, json_string_value(json_object_get(one, "learner")));
    json_t *row = mark_row(m, b, id, exercise);
    of = fmax(of, json_number_value(json_object_get(row, "of")));
    json_object_set_new(json_object_get(one, "marks"), name, row);
  }
  json_object_set_new(json_object_get(o, "exercises"), name, json_real(of));
  marks_close(m);
}

json_t *export_marks(struct book *b, const char *exercise,
                     const char *learner) {
  json_t *learners = json_array();
  if (exercise)
    exercise_need(b, exercise);
  if (learner)
    learner_need(b, learner);
  for (struct sql_rows r =
           sql_rows(b,
                    "SELECT id, name, full_name FROM learner"
                    " WHERE ?1 IS NULL OR name = ?1 ORDER BY name",
                    "t", learner);
       sql_next(&r);)
    json_array_append_new(learners,
                          learner_json(b, sql_integer(&r, 0), sql_column(&r, 1),
                                       sql_column(&r, 2)));
  json_t *o = json_pack("{s:s,s:{},s:o}", "schema", "warpshop.marks/1",
                        "exercises", "learners", learners);
  for (struct sql_rows r =
           sql_rows(b,
                    "SELECT id, name FROM exercise"
                    " WHERE ?1 IS NULL OR name = ?1 ORDER BY name",
                    "t", exercise);
       sql_next(&r);)
    add_exercise(b, o, sql_integer(&r, 0), sql_column(&r, 1));
  return o;
}

// ---- Tables ----

static const char *text_of(const json_t *o, const char *name) {
  const char *text = json_string_value(json_object_get(o, name));
  return text ? text : "";
}

char *export_feedback(const json_t *mark) {
  const char *note = text_of(mark, "note"), *comment = text_of(mark, "comment");
  return xasprintf("%s%s%s", note, *note && *comment ? " " : "", comment);
}

// NaN for null.
static double number_of(const json_t *o, const char *name) {
  const json_t *v = json_object_get(o, name);
  return json_is_number(v) ? json_number_value(v) : NAN;
}

static const char *alias_of(const json_t *learner, const char *name) {
  return text_of(json_object_get(learner, "numbers"), name);
}

static const json_t *mark_of(const json_t *learner, const char *exercise) {
  return json_object_get(json_object_get(learner, "marks"), exercise);
}

static void add_time(struct csv *c, const json_t *mark, const char *name) {
  char text[64] = "";
  time_t s = (time_t)(json_integer_value(json_object_get(mark, name)) / 1000);
  struct tm t;
  if (s && gmtime_r(&s, &t))
    strftime(text, sizeof text, "%F %T", &t);
  csv_key(c, text);
}

// "Doe" and "Anna" of "Doe, Anna" or "Anna Doe"; `out` is to be freed.
static void split_name(const char *name, char **first, char **last) {
  const char *comma = strchr(name, ','), *space = strrchr(name, ' ');
  if (comma) {
    *last = xstrndup(name, (size_t)(comma - name));
    *first = xstrdup(comma + 1 + strspn(comma + 1, " "));
  } else {
    *first = xstrndup(name, space ? (size_t)(space - name) : 0);
    *last = xstrdup(space ? space + 1 : name);
  }
}

// The columns of its own exporter (nbgrader/plugins/export.py), where what was not
// handed in has no points.
static void nbgrader_row(struct csv *c, const json_t *learner,
                         const char *exercise) {
  const json_t *mark = mark_of(learner, exercise);
  char *first, *last;
  double value = number_of(mark, "mark"), off = number_of(mark, "late_off");
  split_name(text_of(learner, "name"), &first, &last);
  value = isnan(value) ? 0 : value;
  off = isnan(off) ? 0 : off;
  csv_key(c, exercise);
  add_time(c, mark, "due_ms");
  add_time(c, mark, "handed_in_ms");
  csv_key(c, text_of(learner, "learner"));
  csv_text(c, last);
  csv_text(c, first);
  csv_key(c, alias_of(learner, "moodle:Email address"));
  csv_number(c, value + off);
  csv_number(c, off);
  csv_number(c, value);
  csv_number(c, number_of(mark, "of"));
  csv_end_row(c);
  free(first);
  free(last);
}

static void nbgrader(struct csv *c, const json_t *o) {
  static const char *const columns[] = {
      "assignment", "duedate",   "timestamp",
      "student_id", "last_name", "first_name",
      "email",      "raw_score", "late_submission_penalty",
      "score",      "max_score"};
  const char *exercise;
  json_t *of, *learner;
  size_t i;
  for (i = 0; i < sizeof columns / sizeof *columns; i++)
    csv_key(c, columns[i]);
  csv_end_row(c);
  json_object_foreach(json_object_get(o, "exercises"), exercise, of) {
    json_array_foreach(json_object_get(o, "learners"), i, learner) {
      nbgrader_row(c, learner, exercise);
    }
  }
}

// What its own export begins with, and its row of points (gradebook_exporter.rb).
static void canvas(struct csv *c, const json_t *o) {
  static const char *const columns[] = {"Student", "ID", "SIS User ID",
                                        "SIS Login ID", "Section"};
  json_t *exercises = json_object_get(o, "exercises");
  const char *exercise;
  json_t *of, *learner;
  size_t i;
  for (i = 0; i < 5; i++)
    csv_key(c, columns[i]);
  json_object_foreach(exercises, exercise, of) {
    csv_key(c, exercise);
  }
  csv_end_row(c);
  csv_key(c, "    Points Possible");
  for (i = 1; i < 5; i++)
    csv_key(c, "");
  json_object_foreach(exercises, exercise, of) {
    csv_number(c, json_number_value(of));
  }
  csv_end_row(c);
  json_array_foreach(json_object_get(o, "learners"), i, learner) {
    const char *login = alias_of(learner, "canvas:SIS Login ID");
    csv_text(c, text_of(learner, "name"));
    csv_key(c, alias_of(learner, "canvas:ID"));
    csv_key(c, alias_of(learner, "canvas:SIS User ID"));
    csv_key(c, *login ? login : text_of(learner, "learner"));
    csv_key(c, alias_of(learner, "canvas:Section"));
    json_object_foreach(exercises, exercise, of) {
      csv_number(c, number_of(mark_of(learner, exercise), "mark"));
    }
    csv_end_row(c);
  }
}

// For its import of grades, where each column is mapped by its heading. Feedback
// without a mark would wipe out the mark that is there.
static void moodle(struct csv *c, const json_t *o) {
  const char *exercise;
  json_t *of, *learner;
  size_t i;
  csv_key(c, "username");
  csv_key(c, "idnumber");
  csv_key(c, "email");
  json_object_foreach(json_object_get(o, "exercises"), exercise, of) {
    char *heading = xasprintf("%s (feedback)", exercise);
    csv_key(c, exercise);
    csv_key(c, heading);
    free(heading);
  }
  csv_end_row(c);
  json_array_foreach(json_object_get(o, "learners"), i, learner) {
    const char *user = alias_of(learner, "moodle:Username");
    csv_key(c, *user ? user : text_of(learner, "learner"));
    csv_key(c, alias_of(learner, "moodle:ID number"));
    csv_key(c, alias_of(learner, "moodle:Email address"));
    json_object_foreach(json_object_get(o, "exercises"), exercise, of) {
      const json_t *mark = mark_of(learner, exercise);
      double value = number_of(mark, "mark");
      csv_number(c, value);
      char *feedback = export_feedback(mark);
      csv_text(c, isnan(value) ? "" : feedback);
      free(feedback);
    }
    csv_end_row(c);
  }
}

// ---- Reports of the verdicts that count ----

static json_t *counting_verdicts(struct book *b, const json_t *o) {
  json_t *list = json_array(), *learner, *mark;
  const char *exercise;
  size_t i;
  json_array_foreach(json_object_get(o, "learners"), i, learner) {
    json_object_foreach(json_object_get(learner, "marks"), exercise, mark) {
      int64_t number = json_integer_value(json_object_get(mark, "verdict"));
      char *text =
          sql_text(b, "SELECT json FROM verdict WHERE number = ?", "i", number);
      if (text)
        json_array_append_new(list, json_loads(text, 0, NULL));
      free(text);
    }
  }
  return list;
}

static char *report(struct book *b, const struct report_form *form,
                    const json_t *o) {
  json_t *list = counting_verdicts(b, o);
  size_t count = json_array_size(list);
  json_t **verdicts = xcalloc(count + 1, sizeof *verdicts);
  char *text = NULL;
  for (size_t i = 0; i < count; i++)
    verdicts[i] = json_array_get(list, i);
  if (!count)
    book_fail(b, ERR_NOT_FOUND, "there is no verdict that counts");
  else if (!form->takes_many && count > 1)
    book_fail(b, ERR_ARGUMENT,
              "%s is for one verdict: name a learner and an exercise with "
              "--learner and --exercise",
              form->name);
  else
    text = form->make(verdicts, (int)count);
  free(verdicts);
  json_decref(list);
  return text;
}

static char *all_forms(void) {
  struct str s = STR_INIT;
  const struct report_form *f;
  str_add(&s, "canvas, moodle, moodle-worksheet, nbgrader");
  for (int i = 0; (f = report_form_at(i)); i++)
    if (!strstr(s.data, f->name))
      str_addf(&s, ", %s", f->name);
  return str_take(&s);
}

char *export_form(struct book *b, const char *form, const char *exercise,
                  const char *learner) {
  static const struct {
    const char *name;
    void (*write)(struct csv *c, const json_t *o);
  } tables[] = {{"canvas", canvas}, {"moodle", moodle}, {"nbgrader", nbgrader}};
  const struct report_form *other = report_find_form(form, strlen(form));
  json_t *o = export_marks(b, exercise, learner);
  struct csv c = CSV_INIT;
  char *text = NULL;
  for (size_t i = 0; i < sizeof tables / sizeof *tables && !text; i++)
    if (!strcmp(tables[i].name, form)) {
      tables[i].write(&c, o);
      text = csv_take(&c);
    }
  if (!text && other) {
    text = report(b, other, o);
  } else if (!text) {
    char *all = all_forms();
    book_fail(b, ERR_ARGUMENT, "\"%s\": no such form; there are %s", form, all);
    free(all);
  }
  json_decref(o);
  return text;
}
