// SPDX-License-Identifier: Apache-2.0
// The contents: parts, their lessons with minutes and how far one has come, and the
// exercises; what `/` finds among lessons, pages and exercises.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/text/text.h"
#include "grade/course/course.h"
#include "repl/progress/progress.h"
#include "repl/workbook/book.h"

struct row {
  enum { ROW_PART, ROW_LESSON, ROW_PAGE, ROW_EXERCISE } kind;
  int lesson; // in the index
  int page;
  const char *text; // the part's title, the exercise's name
};

struct contents {
  struct workbook *w;
  struct lesson_index index;
  struct lesson **lessons; // NULL in it: one that cannot be read
  struct progress *progress;
  char *title;
  struct row *rows;
  int row_count, at, first, shown;
  int top;     // the list's first row on the screen
  int next;    // the lesson to go on with; -1: none
  int reviews; // questions that are due before it
  struct typed find;
  bool is_finding;
};

// ---- How far one has come ----

static bool is_done(const struct contents *c, int i) {
  return c->lessons[i] && lesson_is_done_by(c->progress, c->lessons[i]);
}

static int page_of(const struct contents *c, int i) {
  int furthest;
  return c->lessons[i]
             ? progress_page(c->progress, c->lessons[i]->name, &furthest)
             : 0;
}

static int lesson_named(const struct contents *c, const char *name) {
  for (int i = 0; i < c->index.count; i++)
    if (c->lessons[i] && !strcmp(c->lessons[i]->name, name))
      return i;
  return -1;
}

// The one that was left, or the first behind it that is not done.
static int next_lesson(const struct contents *c) {
  char last[256] = "";
  if (c->w->s->journal)
    journal_last_lesson(c->w->s->journal, last, sizeof last);
  int left = lesson_named(c, last), count = c->index.count;
  for (int i = 0; i < count; i++) {
    int at = (i + (left < 0 ? 0 : left)) % count;
    if (!is_done(c, at))
      return at;
  }
  return -1;
}

// "needs: first-kernel" is the lesson "03-first-kernel.md".
static bool is_needed(const char *file, const char *need) {
  const char *name = file + strspn(file, "0123456789");
  size_t n = strlen(need);
  name += *name == '-';
  return !strncmp(name, need, n) && !strcmp(name + n, ".md");
}

// The number of a lesson that this one needs and that is not done; 0: none.
static int missing_need(const struct contents *c, int i) {
  const struct lesson *l = c->lessons[i];
  for (int k = 0; k < l->needs.count; k++)
    for (int j = 0; j < i; j++)
      if (c->lessons[j] && is_needed(c->lessons[j]->name, l->needs.items[k]) &&
          !is_done(c, j))
        return lesson_number_at(&c->index, j);
  return 0;
}

static void add_state(const struct contents *c, int i, struct str *out) {
  const struct lesson *l = c->lessons[i];
  int page = page_of(c, i);
  if (is_done(c, i))
    str_add(out, message("done"));
  else if (page > 0)
    str_addf(out, message("page %d/%d"), page, l->page_count);
  else if (i == c->next)
    str_add(out, message("next"));
  else if (missing_need(c, i))
    str_addf(out, message("needs %d"), missing_need(c, i));
}

// ---- Rows ----

static struct row *add_row(struct contents *c) {
  c->rows = xrealloc(c->rows, (size_t)(c->row_count + 1) * sizeof *c->rows);
  return &c->rows[c->row_count++];
}

static bool is_found(const struct contents *c, const char *text) {
  return strcasestr(text, c->find.text) != NULL;
}

static void find_in_lesson(struct contents *c, int i) {
  const struct lesson *l = c->lessons[i];
  const char *name;
  char number[16];
  snprintf(number, sizeof number, "%d", lesson_number_at(&c->index, i));
  if (is_found(c, l->title) || !strcmp(number, c->find.text))
    *add_row(c) = (struct row){ROW_LESSON, i, -1, NULL};
  for (int k = 0; (name = lesson_exercise(l, k)); k++)
    if (is_found(c, name))
      *add_row(c) = (struct row){ROW_EXERCISE, i, -1, name};
  for (int k = 0; k < l->page_count; k++)
    if (is_found(c, l->pages[k].title))
      *add_row(c) = (struct row){ROW_PAGE, i, k, NULL};
}

static void make_rows(struct contents *c) {
  c->row_count = 0;
  for (int i = 0; i < c->index.count; i++) {
    const struct course_part *part = lesson_part_at(&c->index, i);
    if (!*c->find.text && part && part->first == i)
      *add_row(c) = (struct row){ROW_PART, i, -1, message(part->title)};
    if (!c->lessons[i])
      continue;
    if (*c->find.text)
      find_in_lesson(c, i);
    else
      *add_row(c) = (struct row){ROW_LESSON, i, -1, NULL};
  }
}

static const struct row *row_at(const struct contents *c) {
  return c->at < c->row_count ? &c->rows[c->at] : NULL;
}

// Parts are no choice.
static void step(struct contents *c, int by) {
  int at = c->at;
  do
    at += by;
  while (at >= 0 && at < c->row_count && c->rows[at].kind == ROW_PART);
  if (at >= 0 && at < c->row_count)
    c->at = at;
  else if (by < 0)
    c->first = 0; // the heading above the first
}

static void go_to_row(struct contents *c, int at) {
  c->at = at < 0 ? 0 : at >= c->row_count ? c->row_count - 1 : at;
  c->at = c->at < 0 ? 0 : c->at;
  if (c->at < c->row_count && c->rows[c->at].kind == ROW_PART)
    step(c, c->at ? -1 : 1);
  if (c->at < c->row_count && c->rows[c->at].kind == ROW_PART)
    step(c, 1);
}

static void go_to_lesson(struct contents *c, int lesson) {
  for (int i = 0; i < c->row_count; i++)
    if (c->rows[i].kind == ROW_LESSON && c->rows[i].lesson == lesson)
      c->at = i;
}

static void find_again(struct contents *c) {
  const struct row *r = row_at(c);
  int lesson = r ? r->lesson : c->next;
  make_rows(c);
  c->at = c->first = 0;
  if (*c->find.text)
    go_to_row(c, 0);
  else
    go_to_lesson(c, lesson);
}

// ---- Drawing ----

static int columns_of(const char *text) {
  return display_width(text, strlen(text));
}

// Pads what was added since `from` to so many columns.
static void pad(struct str *out, size_t from, int columns) {
  int width = display_width(out->data + from, out->len - from);
  str_addf(out, "%*s", width < columns ? columns - width : 0, "");
}

static void add_exercise(const struct contents *c, const char *name,
                         struct str *out) {
  struct exercise_progress p = progress_exercise(c->progress, name);
  str_add(out, name);
  if (p.has_passed)
    str_add(out, " ok");
  else if (p.tries)
    str_addf(out, message_of(p.tries, ": %d try", ": %d tries"), p.tries);
}

// "guard ok  table-2d", or where there is little room "1 of 2 ok".
static void add_exercises(const struct contents *c, int i, int room,
                          struct str *out) {
  const struct lesson *l = c->lessons[i];
  struct str names = STR_INIT;
  const char *name;
  int count = 0, passed = 0;
  for (; (name = lesson_exercise(l, count)); count++) {
    if (count)
      str_add(&names, "  ");
    add_exercise(c, name, &names);
    passed += progress_exercise(c->progress, name).has_passed;
  }
  if (columns_of(names.data) <= room)
    str_add(out, names.data);
  else
    str_addf(out, message("%d of %d ok"), passed, count);
  str_free(&names);
}

static int title_columns(int columns) {
  return columns < 80 ? 24 : columns < 110 ? 32 : 40;
}

static void add_lesson_row(const struct contents *c, int i, int columns,
                           struct str *out) {
  const struct lesson *l = c->lessons[i];
  int room = title_columns(columns);
  str_addf(out, "%3d ", lesson_number_at(&c->index, i));
  size_t from = out->len;
  str_add_bytes(out, l->title, display_fit(l->title, room));
  pad(out, from, room + 1);
  str_addf(out, "%3d min  ", l->minutes);
  from = out->len;
  add_state(c, i, out);
  pad(out, from, 10);
  add_exercises(c, i, columns - columns_of(out->data) - 2, out);
}

static void add_row_text(const struct contents *c, const struct row *r,
                         int columns, struct str *out) {
  int number = lesson_number_at(&c->index, r->lesson);
  const struct lesson *l = c->lessons[r->lesson];
  switch (r->kind) {
  case ROW_PART: str_add(out, r->text); break;
  case ROW_LESSON: add_lesson_row(c, r->lesson, columns, out); break;
  case ROW_PAGE:
    str_addf(out, message("    page %d.%d  %s"), number, r->page + 1,
             l->pages[r->page].title);
    break;
  case ROW_EXERCISE:
    str_add(out, message("    exercise  "));
    add_exercise(c, r->text, out);
    str_addf(out, message("  (lesson %d)"), number);
    break;
  }
}

static void draw_row(const struct contents *c, const struct pane *p, int row,
                     int i) {
  const struct row *r = &c->rows[i];
  struct str text = STR_INIT;
  bool is_at = i == c->at, is_part = r->kind == ROW_PART;
  str_add(&text, is_at ? "> " : "  ");
  add_row_text(c, r, p->columns, &text);
  if (is_at)
    pane_put_row(p, row, ROLE_SELECTED, text.data);
  else
    pane_put(p, row, 0,
             is_part                                          ? ROLE_TITLE
             : r->kind == ROW_LESSON && is_done(c, r->lesson) ? ROLE_QUIET
                                                              : ROLE_PLAIN,
             text.data);
  str_free(&text);
}

static void draw_list(struct contents *c, const struct pane *p) {
  c->shown = p->rows;
  c->top = p->row;
  if (c->at < c->first)
    c->first = c->at;
  if (c->at >= c->first + p->rows)
    c->first = c->at - p->rows + 1;
  // The heading of the part above is seen with its first lesson.
  if (c->first == c->at && c->first && c->rows[c->first - 1].kind == ROW_PART)
    c->first--;
  for (int i = 0; i < p->rows && c->first + i < c->row_count; i++)
    draw_row(c, p, i, c->first + i);
  if (!c->row_count)
    pane_put(p, 0, 2, ROLE_QUIET,
             *c->find.text
                 ? message("Nothing is called so: no lesson, page or exercise.")
                 : message("This course has no lessons yet."));
}

static void draw_title(const struct contents *c, const struct pane *p) {
  char left[200], right[100];
  int lessons = 0, done = 0, exercises = 0, passed = 0;
  const char *name;
  for (int i = 0; i < c->index.count; i++) {
    lessons += c->lessons[i] != NULL;
    done += is_done(c, i);
    for (int k = 0; c->lessons[i] && (name = lesson_exercise(c->lessons[i], k));
         k++) {
      exercises++;
      passed += progress_exercise(c->progress, name).has_passed;
    }
  }
  snprintf(right, sizeof right,
           message(" %d of %d lessons done · %d of %d solved"), done, lessons,
           passed, exercises);
  snprintf(left, sizeof left, "warpshop · %s", c->title);
  pane_put(p, 0, 0, ROLE_TITLE, left);
  pane_put_right(p, 0, ROLE_QUIET, right);
}

// The exercises of the lesson at hand, which its row may have no room for.
static void draw_exercises(const struct contents *c, const struct pane *p) {
  const struct row *r = row_at(c);
  struct str text = STR_INIT;
  const char *name;
  if (!r || r->kind != ROW_LESSON || *c->w->status)
    return;
  for (int i = 0; (name = lesson_exercise(c->lessons[r->lesson], i)); i++) {
    str_add(&text, i ? "  " : "");
    add_exercise(c, name, &text);
  }
  pane_put(p, 0, 0, ROLE_QUIET, text.data);
  str_free(&text);
}

// What is due, or else the place in the list.
static void add_place(const struct contents *c, struct str *out) {
  int end = c->first + c->shown;
  if (!c->reviews && c->row_count > c->shown)
    str_addf(out, message("%d-%d of %d"), c->first + 1,
             end > c->row_count ? c->row_count : end, c->row_count);
  if (c->reviews)
    str_addf(out,
             message_of(c->reviews, "r review: %d question is due",
                        "r review: %d questions are due"),
             c->reviews);
}

void contents_draw(struct contents *c, struct pane p) {
  struct pane title = pane_cut_top(&p, 1);
  struct str place = STR_INIT;
  pane_cut_top(&p, p.rows > 18);
  struct pane status = pane_cut_bottom(&p, BOOK_FOOT);
  draw_list(c, &p);
  add_place(c, &place);
  book_draw_foot(c->w, &status, "", c->is_finding ? "" : place.data);
  struct pane left =
      pane_cut_left(&status, status.columns - 1 - columns_of(place.data));
  if (c->is_finding && !*c->w->status)
    pane_put_typed(left, message("find: "), &c->find,
                   message("  Enter opens · Esc shows all"));
  else if (!c->reviews)
    draw_exercises(c, &left);
  draw_title(c, &title);
  str_free(&place);
}

// ---- Keys ----

// False: the key is none of a line that is typed.
static bool type(struct contents *c, int key) {
  struct typed before = c->find;
  if (!typed_press(&c->find, key, display_pasted(c->w->d)))
    return false;
  if (strcmp(before.text, c->find.text) != 0)
    find_again(c);
  return true;
}

static void show_all(struct contents *c) {
  typed_set(&c->find, "");
  c->is_finding = false;
  find_again(c);
}

static void open_row(struct contents *c) {
  const struct row *r = row_at(c);
  if (!r)
    return;
  if (r->kind == ROW_EXERCISE)
    task_open(c->w, r->text);
  else
    page_open(c->w, lesson_number_at(&c->index, r->lesson),
              r->kind == ROW_PAGE ? r->page : -1);
}

// The first exercise of the lesson at hand that has not passed, or else the first.
static void open_exercise(struct contents *c) {
  const struct row *r = row_at(c);
  const struct lesson *l = r ? c->lessons[r->lesson] : NULL;
  const char *name = NULL, *open = r ? r->text : NULL;
  for (int i = 0; l && !open && (name = lesson_exercise(l, i)); i++)
    if (!progress_exercise(c->progress, name).has_passed)
      open = name;
  open = open || !l ? open : lesson_exercise(l, 0);
  if (open)
    task_open(c->w, open);
  else
    book_say(c->w, "This lesson has no exercise.");
}

// The questions that are due come before the lesson to go on with.
static void review(struct contents *c) {
  if (!c->reviews) {
    book_say(c->w, "No question from earlier lessons is due now.");
    return;
  }
  page_open(c->w, lesson_number_at(&c->index, c->next), 0);
  if (c->w->screen == PAGE)
    book_leave(c->w);
}

static bool move(struct contents *c, int key) {
  switch (key) {
  case DISPLAY_UP: step(c, -1); return true;
  case DISPLAY_DOWN: step(c, 1); return true;
  case DISPLAY_PAGE_UP: go_to_row(c, c->at - c->shown); return true;
  case DISPLAY_PAGE_DOWN: go_to_row(c, c->at + c->shown); return true;
  case DISPLAY_HOME: go_to_row(c, 0); return true;
  case DISPLAY_END: go_to_row(c, c->row_count - 1); return true;
  default: return false;
  }
}

bool contents_types(const struct contents *c) {
  return c->is_finding;
}

static bool is_up(int key) {
  return key == DISPLAY_UP || key == DISPLAY_PAGE_UP || key == DISPLAY_HOME;
}

// The row that was clicked; once more, and it is opened.
static void click(struct contents *c) {
  int row, column;
  display_clicked(c->w->d, &row, &column);
  int i = c->first + row - c->top;
  if (row < c->top || row >= c->top + c->shown || i >= c->row_count ||
      c->rows[i].kind == ROW_PART)
    return;
  if (i == c->at)
    open_row(c);
  else
    go_to_row(c, i);
}

void contents_press(struct contents *c, int key) {
  int at = c->at, first = c->first;
  if (key == DISPLAY_CLICK) {
    click(c);
  } else if (c->is_finding && type(c, key)) {
    return;
  } else if (move(c, key)) {
    if (c->at == at && c->first == first && c->row_count)
      book_say(c->w,
               is_up(key) ? "The list begins here." : "The list ends here.");
  } else if (key == DISPLAY_ESCAPE ||
             (key == DISPLAY_INTERRUPT && c->is_finding)) {
    if (!c->is_finding)
      book_say(c->w, "q leaves warpshop, : goes to the prompt.");
    show_all(c);
  } else if (key == '\n') {
    open_row(c);
  } else if (!c->is_finding) {
    switch (key) {
    case '/': c->is_finding = true; break;
    case 'j': step(c, 1); break;
    case 'k': step(c, -1); break;
    case 'r': review(c); break;
    case 'e': open_exercise(c); break;
    case ':': book_leave(c->w); break;
    case 'q':
    case DISPLAY_INTERRUPT: c->w->s->wants_quit = c->w->is_over = true; break;
    default: book_say_no_key(c->w, key);
    }
  }
}

// ---- Opening ----

void contents_look(struct contents *c) {
  progress_free(c->progress);
  c->progress = progress_take(c->w->s->journal);
  c->next = c->index.count ? next_lesson(c) : -1;
  c->reviews =
      c->next < 0 ? 0
                  : review_count(c->w->s, lesson_number_at(&c->index, c->next));
  make_rows(c);
}

static void load_lessons(struct contents *c) {
  struct err_info e = {0};
  if (lesson_index_load(&c->index, &e)) {
    book_say(c->w, e.text);
    return;
  }
  c->lessons = xcalloc((size_t)c->index.count + 1, sizeof *c->lessons);
  for (int i = 0; i < c->index.count; i++)
    if (lesson_load(c->index.paths[i], &c->lessons[i], &e))
      c->lessons[i] = NULL;
}

struct contents *contents_new(struct workbook *w) {
  struct contents *c = xcalloc(1, sizeof *c);
  struct course *course;
  c->w = w;
  load_lessons(c);
  bool has_course = !course_in_use(&course, NULL);
  c->title = xstrdup(message(has_course ? course->title : MESSAGE("course")));
  if (has_course)
    course_free(course);
  contents_look(c);
  go_to_row(c, 0);
  if (c->next >= 0)
    go_to_lesson(c, c->next);
  return c;
}

void contents_free(struct contents *c) {
  if (!c)
    return;
  for (int i = 0; i < c->index.count; i++)
    lesson_free(c->lessons[i]);
  free(c->lessons);
  free(c->rows);
  free(c->title);
  progress_free(c->progress);
  lesson_index_free(&c->index);
  free(c);
}
