// SPDX-License-Identifier: Apache-2.0
// The picture of `class watch`: GPUs and their queues, learners with the stuck first,
// what is known of the selected one's exercise, and what they asked.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/median.h"
#include "base/mem.h"
#include "base/str.h"
#include "class/desk.h"

enum { DETAIL_ROWS = 4, LIST_LEAST = 5 };

static const struct display_key keys[] = {
#define KEY(name, word, help) {name, word, help},
#include "class/desk_key.def"
#undef KEY
};
enum { KEYS = sizeof keys / sizeof *keys };

static const struct display_key source_keys[] = {
    {"q", "back", ""},
    {"arrows", "move", ""},
    {"Page Up, Page Down", "a page", ""}};

// ---- Values ----

static int64_t number_of(const json_t *o, const char *key) {
  return (int64_t)json_number_value(json_object_get(o, key));
}

static bool is_true(const json_t *o, const char *key) {
  return json_is_true(json_object_get(o, key));
}

// "12 s", "5 min", "3 h"
static void add_span(int64_t s, struct str *out) {
  s = s > 0 ? s : 0;
  str_addf(out,
           s < 60     ? "%d s"
           : s < 7200 ? "%d min"
                      : "%d h",
           (int)(s < 60     ? s
                 : s < 7200 ? s / 60
                            : s / 3600));
}

static void put(const struct pane *p, int row, enum display_role role,
                struct str *text) {
  pane_put(p, row, 0, role, text->data);
  str_free(text);
}

// ---- The title ----

// Of those here: which lesson is in the middle; 0: nobody is in one.
static int median_lesson(const struct desk *k) {
  int count = desk_count(k), found = 0;
  double *lessons = xcalloc((size_t)count + 1, sizeof *lessons);
  for (int i = 0; i < count; i++) {
    const json_t *l = desk_learner(k, i);
    int number = atoi(desk_text(l, "lesson"));
    if (is_true(l, "here") && number > 0)
      lessons[found++] = number;
  }
  int median = found ? (int)median_of(lessons, (size_t)found) : 0;
  free(lessons);
  return median;
}

static void draw_title(const struct pane *p, const struct desk *k) {
  struct str text = STR_INIT;
  int here = 0, stuck = 0, away = 0, lesson = median_lesson(k);
  for (int i = 0; i < desk_count(k); i++) {
    const json_t *l = desk_learner(k, i);
    here += is_true(l, "here");
    stuck += is_true(l, "stuck");
    away += is_true(l, "away");
  }
  str_addf(&text, "Room %s · %d here · %d stuck", k->room->name, here, stuck);
  if (away)
    str_addf(&text, " · %d away", away);
  if (lesson)
    str_addf(&text, " · lesson %d (median)", lesson);
  put(p, 0, ROLE_TITLE, &text);
  if (k->is_paused)
    pane_put_right(p, 0, ROLE_BUSY, " ranked lane paused");
}

// ---- GPUs ----

static void add_bytes(int64_t bytes, struct str *out) {
  char text[STR_BYTES];
  str_add(out, str_bytes(text, (double)bytes));
}

static void add_memory(const struct survey_gpu *g, struct str *out) {
  struct nvml_value used = g->is[NVML_MEMORY_USED],
                    total = g->is[NVML_MEMORY_TOTAL];
  str_add(out, " · memory ");
  if (used.why || total.why) {
    str_addf(out, "N/A (%s)", nvml_why_text(used.why ? used.why : total.why));
    return;
  }
  add_bytes(used.is, out);
  str_add(out, " of ");
  add_bytes(total.is, out);
}

// "1 running, 3 wait, about 4 s": how long the next one that comes would.
static void add_queue(const json_t *gpu, struct str *out) {
  const json_t *t;
  size_t i;
  int holds = 0, waits = 0;
  double longest = 0;
  json_array_foreach(json_object_get(gpu, "tickets"), i, t) {
    double s = json_number_value(json_object_get(t, "wait_s"));
    holds += !strcmp(desk_text(t, "state"), "holds");
    waits += !strcmp(desk_text(t, "state"), "waits");
    longest = s > longest ? s : longest;
  }
  str_addf(out, " · %d running, %d wait%s", holds, waits,
           waits == 1 ? "s" : "");
  if (waits)
    str_addf(out, ", about %.0f s", longest);
  if (json_is_integer(json_object_get(gpu, "sick")))
    str_addf(out, " · SICK: process %d hangs in its driver",
             (int)number_of(gpu, "sick"));
}

static const json_t *queue_of(const struct desk *k, const char *uuid) {
  const json_t *gpu;
  size_t i;
  json_array_foreach(k->queues, i,
                     gpu) if (!strcmp(desk_text(gpu, "gpu"), uuid)) return gpu;
  return NULL;
}

static bool is_surveyed(const struct desk *k, const char *uuid) {
  for (int i = 0; k->has_survey && i < k->survey.gpu_count; i++)
    if (!strcmp(k->survey.gpus[i].uuid, uuid))
      return true;
  return false;
}

static int count_gpus(const struct desk *k) {
  const json_t *gpu;
  size_t i;
  int count = k->has_survey ? k->survey.gpu_count : 0;
  json_array_foreach(k->queues, i, gpu) count +=
      !is_surveyed(k, desk_text(gpu, "gpu"));
  return count;
}

static void draw_gpu(const struct pane *p, int row, const json_t *queue,
                     struct str *text) {
  bool is_sick = queue && json_is_integer(json_object_get(queue, "sick"));
  if (queue)
    add_queue(queue, text);
  put(p, row, is_sick ? ROLE_BAD : ROLE_PLAIN, text);
}

static void draw_gpus(const struct pane *p, const struct desk *k) {
  const json_t *gpu;
  size_t i;
  int row = 0;
  for (int g = 0; k->has_survey && g < k->survey.gpu_count; g++) {
    struct str text = STR_INIT;
    const struct survey_gpu *one = &k->survey.gpus[g];
    str_addf(&text, "GPU %d %s", g, one->name);
    add_memory(one, &text);
    draw_gpu(p, row++, queue_of(k, one->uuid), &text);
  }
  json_array_foreach(k->queues, i, gpu) {
    struct str text = STR_INIT;
    if (is_surveyed(k, desk_text(gpu, "gpu")))
      continue;
    str_addf(&text, "GPU %s", desk_text(gpu, "gpu"));
    draw_gpu(p, row++, gpu, &text);
  }
  if (row > p->rows && p->rows > 0) {
    char more[40];
    snprintf(more, sizeof more, " and %d more GPUs", row - p->rows);
    pane_put_right(p, p->rows - 1, ROLE_QUIET, more);
  }
}

// ---- Learners ----

struct columns {
  int name, where, since, mistake; // where they begin
};

static struct columns columns_for(int width) {
  int name = width >= 100 ? 20 : width >= 78 ? 16 : 12;
  int where = width >= 100 ? 36 : width >= 78 ? 25 : 20;
  return (struct columns){2, 2 + name, 2 + name + where, 2 + name + where + 9};
}

// The text of a column, cut where the next one begins.
static void put_column(const struct pane *p, int row, int from, int to,
                       enum display_role role, const char *text) {
  struct pane part = *p;
  pane_cut_left(&part, from);
  part = pane_cut_left(&part, to - from);
  if (role == ROLE_SELECTED)
    pane_put_row(&part, row, role, text);
  else
    pane_put(&part, row, 0, role, text);
}

static void draw_learner(const struct pane *p, int row, const struct desk *k,
                         const json_t *l, bool is_selected) {
  struct columns c = columns_for(p->columns);
  bool is_stuck = is_true(l, "stuck"), is_here = is_true(l, "here");
  enum display_role role = is_selected ? ROLE_SELECTED
                           : is_stuck  ? ROLE_BUSY
                           : is_here   ? ROLE_PLAIN
                                       : ROLE_QUIET;
  char *name = desk_name(k, l), *place = desk_place(l), *on = desk_mistake(l);
  const char *where = is_here              ? place
                      : is_true(l, "away") ? "away"
                                           : "has left";
  struct str since = STR_INIT;
  add_span(number_of(l, "since_s"), &since);
  put_column(p, row, 0, c.name, role, is_stuck ? "!" : " ");
  put_column(p, row, c.name, c.where - 1, role, name);
  if (is_selected)
    put_column(p, row, c.where - 1, c.where, role, "");
  put_column(p, row, c.where, c.since, role, where);
  put_column(p, row, c.since, c.mistake, role, since.data);
  put_column(p, row, c.mistake, p->columns, role, on);
  str_free(&since);
  free(name);
  free(place);
  free(on);
}

static void draw_head(const struct pane *p) {
  struct columns c = columns_for(p->columns);
  pane_put(p, 0, 0, ROLE_QUIET, "!");
  pane_put(p, 0, c.name, ROLE_QUIET, "who");
  pane_put(p, 0, c.where, ROLE_QUIET, "where");
  pane_put(p, 0, c.since, ROLE_QUIET, "since");
  pane_put(p, 0, c.mistake, ROLE_QUIET, "on");
}

// The selected row is always among those that are shown.
static void draw_list(struct pane *p, struct desk *k) {
  struct pane head = pane_cut_top(p, 1);
  int count = desk_count(k), selected = desk_row(k);
  draw_head(&head);
  k->shown = p->rows;
  if (selected >= 0 && selected < k->first)
    k->first = selected;
  if (selected >= k->first + p->rows)
    k->first = selected - p->rows + 1;
  if (k->first > count - p->rows)
    k->first = count - p->rows;
  if (k->first < 0)
    k->first = 0;
  for (int i = 0; i < p->rows && k->first + i < count; i++)
    draw_learner(p, i, k, desk_learner(k, k->first + i),
                 k->first + i == selected);
  int below = count - k->first - p->rows;
  if (below > 0 && p->rows > 0) {
    char text[40];
    snprintf(text, sizeof text, " %d more below ", below);
    pane_put_right(p, p->rows - 1, ROLE_KEY, text);
  }
  if (!count)
    pane_put(p, 0, 2, ROLE_QUIET,
             "nobody yet: learners enter with warpshop class join");
}

// ---- The selected one ----

struct mistake {
  const char *code;
  int64_t count;
};

static int compare_mistakes(const void *a, const void *b) {
  const struct mistake *x = a, *y = b;
  if (x->count != y->count)
    return x->count > y->count ? -1 : 1;
  return strcmp(x->code, y->code);
}

static void add_mistakes(const json_t *exercise, struct str *out) {
  enum { SHOWN = 5 };
  json_t *all = json_object_get(exercise, "mistakes"), *n;
  const char *code;
  int count = 0;
  struct mistake *list = xcalloc(json_object_size(all) + 1, sizeof *list);
  json_object_foreach(all, code, n) list[count++] =
      (struct mistake){code, (int64_t)json_integer_value(n)};
  qsort(list, (size_t)count, sizeof *list, compare_mistakes);
  for (int i = 0; i < count && i < SHOWN; i++)
    str_addf(out, "%s %s %lld", i ? "," : " · commonest:", list[i].code,
             (long long)list[i].count);
  free(list);
}

static const json_t *exercise_of(const struct desk *k, const char *name) {
  const json_t *x;
  size_t i;
  json_array_foreach(json_object_get(k->now, "exercises"), i,
                     x) if (!strcmp(desk_text(x, "exercise"), name)) return x;
  return NULL;
}

static void add_exercise(const struct desk *k, const json_t *l,
                         struct str *out) {
  const char *name = desk_text(l, "exercise");
  const json_t *x = exercise_of(k, name);
  if (!x) {
    str_add(out, *name ? name : "no exercise is open");
    return;
  }
  str_addf(out, "%s: %d began, %d passed", name, (int)number_of(x, "begun"),
           (int)number_of(x, "passed"));
  if (number_of(x, "passed")) {
    str_add(out, " (median ");
    add_span(number_of(x, "median_s"), out);
    double hints = json_number_value(json_object_get(x, "hints_to_pass"));
    str_addf(out, ", %g hint%s)", hints, hints == 1 ? "" : "s");
  }
  add_mistakes(x, out);
}

static const json_t *ticket_of(const struct desk *k, const char *name) {
  const json_t *gpu, *t;
  size_t i, j;
  json_array_foreach(k->queues, i, gpu) json_array_foreach(
      json_object_get(gpu, "tickets"), j,
      t) if (!strcmp(desk_text(t, "learner"), name)) return t;
  return NULL;
}

// What a program of theirs has of a shared GPU.
static void add_ticket(const json_t *t, struct str *out) {
  const char *state = desk_text(t, "state");
  bool waits = !strcmp(state, "waits");
  str_add(out, waits                     ? " · waits for a GPU's turn, "
               : !strcmp(state, "holds") ? " · holds a GPU's turn, "
                                         : " · has no turn of a GPU, ");
  if (waits)
    str_addf(out, "place %d, ", (int)number_of(t, "place"));
  add_bytes(number_of(t, "memory_bytes"), out);
  str_add(out, " of its memory");
}

static void add_learner(const struct desk *k, const json_t *l,
                        struct str *out) {
  char *name = desk_name(k, l);
  const json_t *t = ticket_of(k, name);
  str_addf(out, "%s: %d passed, %d hint%s here, quiet for ", name,
           (int)number_of(l, "passes"), (int)number_of(l, "hints"),
           number_of(l, "hints") == 1 ? "" : "s");
  add_span(number_of(l, "quiet_s"), out);
  if (t)
    add_ticket(t, out);
  free(name);
}

// The newest question: of who is selected, where they have asked.
static const json_t *ask_of(const struct desk *k, const char *name) {
  const json_t *a, *newest = NULL, *own = NULL;
  size_t i;
  json_array_foreach(json_object_get(k->now, "asks"), i, a) {
    newest = a;
    if (!strcmp(desk_text(a, "learner"), name))
      own = a;
  }
  return own ? own : newest;
}

static void draw_ask(const struct pane *p, int row, const struct desk *k,
                     const json_t *l) {
  const json_t *a = ask_of(k, l ? desk_text(l, "learner") : "");
  if (!a)
    return;
  struct str text = STR_INIT;
  const json_t *by = NULL;
  for (int i = 0; i < desk_count(k); i++)
    if (!strcmp(desk_text(desk_learner(k, i), "learner"),
                desk_text(a, "learner")))
      by = desk_learner(k, i);
  char *name = by ? desk_name(k, by) : xstrdup("somebody");
  str_addf(&text, "? %s, ", name);
  add_span(number_of(a, "ago_s"), &text);
  str_addf(&text, " ago: %s", desk_text(a, "text"));
  put(p, row, ROLE_BUSY, &text);
  free(name);
}

// What does not fit into one row goes on in the next.
static int put_wrapped(const struct pane *p, int row, int rows,
                       const char *text) {
  while (*text && rows-- > 0) {
    size_t n = display_fit(text, p->columns);
    while (text[n] && n && text[n] != ' ')
      n--;
    if (!n)
      n = display_fit(text, p->columns);
    char *line = xstrndup(text, n);
    pane_put(p, row++, 0, ROLE_PLAIN, line);
    free(line);
    text += n + (text[n] == ' ');
  }
  return row;
}

static void draw_details(const struct pane *p, const struct desk *k) {
  int selected = desk_row(k);
  const json_t *l = selected < 0 ? NULL : desk_learner(k, selected);
  if (l) {
    struct str text = STR_INIT;
    add_exercise(k, l, &text);
    int row = put_wrapped(p, 0, 2, text.data);
    str_clear(&text);
    add_learner(k, l, &text);
    put(p, row, ROLE_QUIET, &text);
  }
  draw_ask(p, DETAIL_ROWS - 1, k, l);
}

// ---- A hand-in ----

static void draw_source(struct desk *k) {
  struct pane p = display_begin(k->d);
  struct pane title = pane_cut_top(&p, 1), foot = pane_cut_bottom(&p, 1);
  const char *line = k->source.text;
  int lines = 0;
  for (const char *c = line; *c; c++)
    lines += *c == '\n';
  k->source_shown = p.rows;
  if (k->source_first > lines - p.rows)
    k->source_first = lines - p.rows;
  if (k->source_first < 0)
    k->source_first = 0;
  pane_put(&title, 0, 0, ROLE_TITLE, k->source_title);
  for (int i = 0; *line && i < k->source_first + p.rows; i++) {
    size_t n = strcspn(line, "\n");
    struct str text = STR_INIT;
    str_addf(&text, "%4d  ", i + 1);
    for (size_t c = 0; c < n; c++)
      if (line[c] == '\t')
        str_add(&text, "  ");
      else
        str_add_char(&text, line[c]);
    if (i >= k->source_first)
      pane_put(&p, i - k->source_first, 0, ROLE_PLAIN, text.data);
    str_free(&text);
    line += n + (line[n] == '\n');
  }
  if (k->said && *k->said)
    pane_put(&foot, 0, 0, ROLE_GOOD, k->said);
  else
    pane_put_keys(&foot, 0, source_keys,
                  sizeof source_keys / sizeof *source_keys);
}

// ---- The whole ----

static void draw_status(const struct pane *p, const struct desk *k) {
  int selected = desk_row(k);
  char *name =
      selected < 0 ? xstrdup("") : desk_name(k, desk_learner(k, selected));
  char *what = xasprintf("hint to %s: ", name);
  if (k->mode == DESK_HINT)
    pane_put_typed(*p, what, &k->typed, "  Enter sends it · Esc gives up");
  else if (k->mode == DESK_FIND)
    pane_put_typed(*p, "find: ", &k->typed, "  Enter: there · Esc gives up");
  else
    pane_put(p, 0, 0, k->is_bad ? ROLE_BAD : ROLE_GOOD, k->said ? k->said : "");
  free(what);
  free(name);
}

static void draw_room(struct desk *k) {
  struct pane p = display_begin(k->d);
  struct pane title = pane_cut_top(&p, 1), foot = pane_cut_bottom(&p, 1);
  struct pane status = pane_cut_bottom(&p, 1);
  struct pane details = pane_cut_bottom(&p, DETAIL_ROWS);
  int gpus = count_gpus(k), most = p.rows - 1 - LIST_LEAST;
  struct pane top = pane_cut_top(&p, gpus < most ? gpus : most);
  draw_title(&title, k);
  draw_gpus(&top, k);
  draw_list(&p, k);
  draw_details(&details, k);
  draw_status(&status, k);
  pane_put_keys(&foot, 0, keys, KEYS);
}

void desk_draw(struct desk *k) {
  if (k->mode == DESK_HELP)
    pane_put_help(display_begin(k->d), "The keys of warpshop class watch", keys,
                  KEYS);
  else if (k->mode == DESK_SOURCE)
    draw_source(k);
  else
    draw_room(k);
  display_show(k->d);
}
