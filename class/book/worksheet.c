// SPDX-License-Identifier: Apache-2.0
// Moodle: mod/assign/feedback/offline/importgradeslib.php (which columns it needs),
// mod/assign/gradingtable.php (what it writes).
#include "class/book/worksheet.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/csv.h"
#include "base/mem.h"
#include "class/book/evidence.h"
#include "class/book/export.h"
#include "class/book/sql.h"
#include "class/book/table.h"

struct filling {
  struct book *book;
  struct worksheet *q;
  struct table table;
  json_t *marks; // by learner
  int grade, most, may, feedback;
};

static void tell(struct filling *f, const struct table_row *row,
                 const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void tell(struct filling *f, const struct table_row *row,
                 const char *fmt, ...) {
  struct str s = STR_INIT;
  va_list ap;
  va_start(ap, fmt);
  str_addf(&s, "%s:%d: ", f->q->name, row->line);
  str_addv(&s, fmt, ap);
  va_end(ap);
  f->q->odd(f->q->context, s.data);
  f->q->odd_count++;
  str_free(&s);
}

static bool find_columns(struct filling *f) {
  static const char *const needed[] = {"Identifier", "Grade",
                                       "Last modified (grade)"};
  const struct table *t = &f->table;
  for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
    if (table_column(t, needed[i]) < 0)
      book_fail(f->book, ERR_ARGUMENT,
                "%s: Moodle's grading worksheet has a column %s, and this has "
                "none: download it with English as your language there",
                f->q->name, needed[i]);
  if (table_column(t, "Scale") >= 0)
    book_fail(f->book, ERR_ARGUMENT,
              "%s: this assignment is marked by a scale's words; set it to "
              "points in Moodle",
              f->q->name);
  f->grade = table_column(t, "Grade");
  f->most = table_column(t, "Maximum Grade");
  f->may = table_column(t, "Grade can be changed");
  f->feedback = table_column(t, "Feedback comments");
  return !book_has_failed(f->book);
}

// ---- Whose a row is ----

// By what a roster from Moodle said, else by the user's name; to be freed. NULL: nobody
// that the book knows, or two, which is told.
static char *find_learner(struct filling *f, const struct table_row *row) {
  static const char *const by[] = {"Identifier", "Username", "ID number",
                                   "Email address"};
  char *found = NULL;
  for (size_t i = 0; i < sizeof by / sizeof *by; i++) {
    const char *value = table_cell(row, table_column(&f->table, by[i]));
    char *name = *value ? sql_text(f->book,
                                   "SELECT name FROM alias JOIN learner ON"
                                   " id = learner WHERE system = 'moodle'"
                                   " AND field = ? AND value = ?",
                                   "tt", by[i], value)
                        : NULL;
    if (name && found && strcmp(name, found) != 0) {
      tell(f, row, "this could be %s, and %s", found, name);
      free(name);
      free(found);
      return NULL;
    }
    free(found ? name : NULL);
    found = found ? found : name;
  }
  for (size_t i = 1; i < sizeof by / sizeof *by && !found; i++) {
    const char *value = table_cell(row, table_column(&f->table, by[i]));
    found = xstrndup(value, strcspn(value, "@"));
    if (!learner_find(f->book, found)) {
      free(found);
      found = NULL;
    }
  }
  if (!found)
    tell(f, row, "%s is nobody in the book",
         table_cell(row, table_column(&f->table, "Identifier")));
  return found;
}

// ---- One row ----

// Moodle's own maximum, with a comma where its language has one; NaN: it has none.
static double most_of(const struct filling *f, const struct table_row *row) {
  char text[32];
  const char *cell = table_cell(row, f->most);
  snprintf(text, sizeof text, "%s", cell);
  for (char *p = text; *p; p++)
    *p = *p == ',' ? '.' : *p;
  return *cell ? strtod(text, NULL) : NAN;
}

// The mark that goes into a row; NULL: it stays as it is.
static const json_t *mark_for(struct filling *f, const struct table_row *row,
                              const char *learner) {
  const json_t *mark = json_object_get(f->marks, learner);
  double of = json_number_value(json_object_get(mark, "of"));
  double most = most_of(f, row);
  if (!json_is_number(json_object_get(mark, "mark")))
    return NULL;
  if (!strcasecmp(table_cell(row, f->may), "No")) {
    tell(f, row, "%s: Moodle says that this grade cannot be changed", learner);
    return NULL;
  }
  if (!isnan(most) && most != of) {
    book_fail(f->book, ERR_ARGUMENT,
              "%s:%d: %g points are the most in Moodle, and %g here: set it "
              "there, or here with class book rule %s --of %g",
              f->q->name, row->line, most, of, f->q->exercise, most);
    return NULL;
  }
  return mark;
}

// Free text of others', which a spreadsheet could take for a formula; all else is
// Moodle's, and a feedback that it finds changed it would take over.
static bool is_free_text(const char *column) {
  return !strcasecmp(column, "Full name") || !strcasecmp(column, "Online text");
}

static void write_row(struct filling *f, struct csv *c,
                      const struct table_row *row) {
  char *learner = find_learner(f, row);
  const json_t *mark = learner ? mark_for(f, row, learner) : NULL;
  char *feedback = export_feedback(mark);
  for (int i = 0; i < f->table.header.count; i++) {
    if (mark && i == f->grade)
      csv_number(c, json_number_value(json_object_get(mark, "mark")));
    else if (*feedback && i == f->feedback)
      csv_text(c, feedback);
    else if (is_free_text(f->table.header.cells[i]))
      csv_text(c, table_cell(row, i));
    else
      csv_key(c, table_cell(row, i));
  }
  csv_end_row(c);
  if (*feedback && f->feedback < 0)
    tell(f, row, "%s: there is no column Feedback comments for the comment",
         learner);
  f->q->marked += mark != NULL;
  free(feedback);
  free(learner);
}

static json_t *read_marks(struct book *b, const char *exercise) {
  json_t *all = export_marks(b, exercise, NULL), *out = json_object(), *one;
  size_t i;
  json_array_foreach(json_object_get(all, "learners"), i, one) {
    json_object_set(out, json_string_value(json_object_get(one, "learner")),
                    json_object_get(json_object_get(one, "marks"), exercise));
  }
  json_decref(all);
  return out;
}

char *worksheet_fill(struct book *b, struct worksheet *q) {
  struct filling f = {.book = b, .q = q};
  struct csv c = CSV_INIT;
  struct err_info e;
  if (table_read(q->name, q->text, q->bytes, &f.table, &e)) {
    book_fail(b, e.code, "%s", e.text);
    return NULL;
  }
  if (find_columns(&f) && exercise_need(b, q->exercise)) {
    f.marks = read_marks(b, q->exercise);
    for (int i = 0; i < f.table.header.count; i++)
      csv_key(&c, f.table.header.cells[i]);
    csv_end_row(&c);
    for (int i = 0; i < f.table.count; i++)
      write_row(&f, &c, &f.table.rows[i]);
  }
  json_decref(f.marks);
  table_free(&f.table);
  char *text = csv_take(&c);
  if (!book_has_failed(b))
    return text;
  free(text);
  return NULL;
}
