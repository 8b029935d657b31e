// SPDX-License-Identifier: Apache-2.0
#include "class/view.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/median.h"
#include "base/mem.h"
#include "base/region.h"
#include "base/str.h"
#include "base/text/text.h"
#include "grade/input/input.h"

struct learner {
  uid_t uid;
  char *name;
  bool is_here; // has joined, has not left
  bool is_away; // but has left the prompt, and done nothing since
  char *lesson, *page, *exercise;
  int64_t since_ms; // that they are in this place: page, exercise or pass
  int64_t last_ms;  // of any event
  char *code;       // of the last mistake
  int times;        // that it was made in a row
  int hints;        // taken in this exercise
  int passes;
  struct work *work; // the last that was looked for
};

// One learner's work on one exercise.
struct work {
  struct learner *by;
  struct exercise_row *of;
  int64_t begun_ms, passed_ms; // 0: not yet
  int hints, fails;
};

struct mistake {
  char *code;
  int count;
};

struct exercise_row {
  char *name;
  int mistake_count;
  struct mistake *mistakes;
};

struct ask {
  struct learner *by;
  int64_t time_ms;
  char *text, *where;
};

// Growing lists of pointers.
struct list {
  void **at;
  int count, room;
};

// A GPU whose server could not be ended, as a learner's program has told.
struct sick {
  int64_t time_ms;
  char *gpu, *where;
};

struct view {
  const struct room *room;
  struct event_reader *reader;
  struct list learners, exercises, works, asks, sick, odd;
  struct list waiting;    // to be applied,
  struct region *waiters; // and what they are made of
  struct map *by_key;     // 'l' and the uid's bytes, "e<name>", "w<uid> <name>"
};

static void *add(struct list *l, void *one) {
  if (l->count == l->room) {
    l->room = l->room ? 2 * l->room : 8;
    l->at = xrealloc(l->at, (size_t)l->room * sizeof *l->at);
  }
  return l->at[l->count++] = one;
}

static bool is_same(const char *a, const char *b) {
  return a && b && !strcmp(a, b);
}

static void set_text(char **to, const char *text) {
  if (is_same(*to, text))
    return;
  char *clean = text_clean(text, strlen(text), 500, 0);
  free(*to);
  *to = clean;
}

struct view *view_open(const struct room *r) {
  struct view *v = xcalloc(1, sizeof *v);
  v->room = r;
  v->reader = event_reader_open(r);
  v->by_key = map_new();
  v->waiters = region_new();
  return v;
}

void view_close(struct view *v) {
  if (!v)
    return;
  for (int i = 0; i < v->learners.count; i++) {
    struct learner *l = v->learners.at[i];
    char *texts[] = {l->name, l->lesson, l->page, l->exercise, l->code};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
      free(texts[k]);
  }
  for (int i = 0; i < v->exercises.count; i++) {
    struct exercise_row *x = v->exercises.at[i];
    for (int k = 0; k < x->mistake_count; k++)
      free(x->mistakes[k].code);
    free(x->mistakes);
    free(x->name);
  }
  for (int i = 0; i < v->asks.count; i++) {
    struct ask *a = v->asks.at[i];
    free(a->text);
    free(a->where);
  }
  for (int i = 0; i < v->sick.count; i++) {
    struct sick *k = v->sick.at[i];
    free(k->gpu);
    free(k->where);
  }
  struct list *lists[] = {&v->learners, &v->exercises, &v->works,
                          &v->asks,     &v->sick,      &v->odd};
  for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
    for (int i = 0; i < lists[k]->count; i++)
      free(lists[k]->at[i]);
    free(lists[k]->at);
  }
  free(v->waiting.at);
  region_free(v->waiters);
  event_reader_close(v->reader);
  map_free(v->by_key);
  free(v);
}

// ---- What an event changes ----

struct key {
  const char *at;
  size_t bytes;
};

// The object under `key`, made of `bytes` zeros where there is none.
static void *find(struct view *v, struct list *in, struct key key, size_t bytes,
                  bool *is_new) {
  void *one = map_get(v->by_key, key.at, key.bytes);
  *is_new = !one;
  if (!one) {
    one = add(in, xcalloc(1, bytes));
    map_set(v->by_key, key.at, key.bytes, one);
  }
  return one;
}

static struct learner *learner_of(struct view *v, uid_t uid) {
  char key[1 + sizeof uid] = "l";
  bool is_new;
  memcpy(key + 1, &uid, sizeof uid);
  struct learner *l =
      find(v, &v->learners, (struct key){key, sizeof key}, sizeof *l, &is_new);
  if (!is_new)
    return l;
  const struct passwd *p = getpwuid(uid);
  l->uid = uid;
  l->name = p ? xstrdup(p->pw_name) : xasprintf("%u", (unsigned)uid);
  return l;
}

static struct work *work_of(struct view *v, struct learner *l,
                            const char *exercise) {
  bool is_new;
  if (l->work && is_same(l->work->of->name, exercise))
    return l->work;
  char *key = xasprintf("e%s", exercise);
  struct exercise_row *x = find(
      v, &v->exercises, (struct key){key, strlen(key)}, sizeof *x, &is_new);
  if (is_new)
    set_text(&x->name, exercise);
  free(key);
  key = xasprintf("w%u %s", (unsigned)l->uid, exercise);
  struct work *w =
      find(v, &v->works, (struct key){key, strlen(key)}, sizeof *w, &is_new);
  w->by = l;
  w->of = x;
  free(key);
  return l->work = w;
}

static void count_mistake(struct exercise_row *x, const char *code) {
  for (int k = 0; k < x->mistake_count; k++)
    if (!strcmp(x->mistakes[k].code, code)) {
      x->mistakes[k].count++;
      return;
    }
  size_t count = (size_t)x->mistake_count + 1;
  x->mistakes = xrealloc(x->mistakes, count * sizeof *x->mistakes);
  x->mistakes[x->mistake_count] = (struct mistake){NULL, 1};
  set_text(&x->mistakes[x->mistake_count++].code, code);
}

// In another place than before: nobody is stuck there yet.
static void move(struct learner *l, int64_t now) {
  l->since_ms = now;
  l->times = l->hints = 0;
  free(l->code);
  l->code = NULL;
}

static void take_page(struct learner *l, const struct event *ev) {
  if (is_same(l->lesson, ev->what) && is_same(l->page, ev->text))
    return;
  set_text(&l->lesson, ev->what);
  set_text(&l->page, ev->text);
  move(l, ev->time_ms);
}

static struct work *enter(struct view *v, struct learner *l,
                          const struct event *ev) {
  struct work *w = work_of(v, l, ev->what);
  if (!is_same(l->exercise, ev->what)) {
    set_text(&l->exercise, ev->what);
    move(l, ev->time_ms);
  }
  if (!w->begun_ms)
    w->begun_ms = ev->time_ms;
  return w;
}

static void take_fail(struct view *v, struct learner *l,
                      const struct event *ev) {
  struct work *w = enter(v, l, ev);
  w->fails++;
  count_mistake(w->of, ev->code);
  l->times = is_same(l->code, ev->code) ? l->times + 1 : 1;
  set_text(&l->code, ev->code);
}

static void take_pass(struct view *v, struct learner *l,
                      const struct event *ev) {
  struct work *w = enter(v, l, ev);
  l->passes += !w->passed_ms;
  if (!w->passed_ms)
    w->passed_ms = ev->time_ms;
  free(l->exercise);
  l->exercise = NULL;
  move(l, ev->time_ms);
}

// Those that come after it was passed did not help to pass.
static void take_hint(struct view *v, struct learner *l,
                      const struct event *ev) {
  struct work *w = enter(v, l, ev);
  w->hints += !w->passed_ms;
  l->hints++;
}

static void take_ask(struct view *v, struct learner *l,
                     const struct event *ev) {
  struct ask *a = add(&v->asks, xcalloc(1, sizeof *a));
  a->by = l;
  a->time_ms = ev->time_ms;
  set_text(&a->text, ev->text);
  set_text(&a->where, ev->what);
}

// Everybody at that machine tells of it.
static void take_sick(struct view *v, const struct event *ev) {
  for (int i = 0; i < v->sick.count; i++) {
    const struct sick *k = v->sick.at[i];
    if (!strcmp(k->gpu, ev->what) && !strcmp(k->where, ev->text))
      return;
  }
  struct sick *k = add(&v->sick, xcalloc(1, sizeof *k));
  k->time_ms = ev->time_ms;
  set_text(&k->gpu, ev->what);
  set_text(&k->where, ev->text);
}

// What came before they went away does not count as time in one place.
static void see_away(struct learner *l, const struct event *ev) {
  bool was_away = l->is_away;
  l->is_away = ev->kind == EVENT_END;
  if (was_away != l->is_away)
    l->since_ms = ev->time_ms;
}

static void apply(struct view *v, uid_t uid, const struct event *ev) {
  struct learner *l = learner_of(v, uid);
  see_away(l, ev);
  if (ev->time_ms > l->last_ms)
    l->last_ms = ev->time_ms;
  switch (ev->kind) {
  case EVENT_JOIN:
    l->is_here = true;
    l->since_ms = ev->time_ms;
    break;
  case EVENT_LEAVE: l->is_here = false; break;
  case EVENT_PAGE: take_page(l, ev); break;
  case EVENT_BEGIN: enter(v, l, ev); break;
  case EVENT_FAIL: take_fail(v, l, ev); break;
  case EVENT_HINT: take_hint(v, l, ev); break;
  case EVENT_PASS: take_pass(v, l, ev); break;
  case EVENT_ASK: take_ask(v, l, ev); break;
  case EVENT_SICK: take_sick(v, ev); break;
  case EVENT_END:
  case EVENT_RUN:
  case EVENT_BOARD:
  case EVENT_SUBMIT: break;
  }
}

// An event that waits to be applied: those of a learner's sessions come file by
// file, and count in the order of their times.
struct waiting {
  struct event ev;
  uid_t uid;
  int number; // of equal times the one that was read first
  char texts[];
};

static void take_event(void *context, uid_t uid, const struct event *ev) {
  struct view *v = context;
  size_t what = strlen(ev->what) + 1, text = strlen(ev->text) + 1;
  size_t code = strlen(ev->code) + 1;
  struct waiting *one =
      region_alloc(v->waiters, sizeof *one + what + text + code);
  one->ev = *ev;
  one->uid = uid;
  one->number = v->waiting.count;
  one->ev.what = memcpy(one->texts, ev->what, what);
  one->ev.text = memcpy(one->texts + what, ev->text, text);
  one->ev.code = memcpy(one->texts + what + text, ev->code, code);
  add(&v->waiting, one);
}

static int compare_waiting(const void *a, const void *b) {
  const struct waiting *x = *(void *const *)a, *y = *(void *const *)b;
  if (x->ev.time_ms != y->ev.time_ms)
    return x->ev.time_ms < y->ev.time_ms ? -1 : 1;
  return x->number < y->number ? -1 : 1;
}

static void apply_waiting(struct view *v) {
  struct list *l = &v->waiting;
  if (l->count)
    qsort(l->at, (size_t)l->count, sizeof *l->at, compare_waiting);
  for (int i = 0; i < l->count; i++) {
    struct waiting *one = l->at[i];
    apply(v, one->uid, &one->ev);
  }
  l->count = 0;
  region_free(v->waiters);
  v->waiters = region_new();
}

static void take_odd(void *context, const char *text) {
  struct view *v = context;
  add(&v->odd, text_clean(text, strlen(text), 300, 0));
}

enum err view_refresh(struct view *v, struct err_info *e) {
  struct event_source to = {take_event, take_odd, v};
  enum err err = event_read(v->reader, &to, e);
  apply_waiting(v);
  return err;
}

// ---- In order ----

static bool is_there(const struct learner *l) {
  return l->is_here && !l->is_away;
}

static bool is_stuck(const struct learner *l, int64_t now) {
  return is_there(l) && (l->times >= VIEW_STUCK_TIMES ||
                         (l->since_ms && now - l->since_ms >= VIEW_STUCK_MS));
}

struct row {
  const struct learner *l;
  bool is_stuck;
  int64_t waits_ms; // since when they are where they are
};

static int compare_rows(const void *a, const void *b) {
  const struct row *x = a, *y = b;
  if (x->l->is_here != y->l->is_here)
    return x->l->is_here ? -1 : 1;
  if (x->l->is_away != y->l->is_away)
    return x->l->is_away ? 1 : -1;
  if (x->is_stuck != y->is_stuck)
    return x->is_stuck ? -1 : 1;
  if (x->waits_ms != y->waits_ms)
    return x->waits_ms > y->waits_ms ? -1 : 1;
  return strcmp(x->l->name, y->l->name);
}

// The learners, the stuck first; to be freed.
static struct row *sort_rows(const struct view *v, int64_t now) {
  struct row *rows = xcalloc((size_t)v->learners.count + 1, sizeof *rows);
  for (int i = 0; i < v->learners.count; i++) {
    const struct learner *l = v->learners.at[i];
    rows[i] = (struct row){l, is_stuck(l, now), now - l->since_ms};
  }
  qsort(rows, (size_t)v->learners.count, sizeof *rows, compare_rows);
  return rows;
}

enum { SHOWN_MISTAKES = 3 };

struct funnel {
  int begun, passed;
  int64_t median_ms;                               // to pass; 0: nobody has
  double median_hints;                             // of those who passed
  const struct mistake *commonest[SHOWN_MISTAKES]; // NULL behind the last
};

static void take_mistake(struct funnel *f, const struct mistake *m) {
  for (int k = 0; k < SHOWN_MISTAKES && m; k++) {
    const struct mistake *had = f->commonest[k];
    if (!had || m->count > had->count) {
      f->commonest[k] = m;
      m = had;
    }
  }
}

static struct funnel funnel_of(const struct view *v,
                               const struct exercise_row *x) {
  struct funnel f = {0};
  double *took = xcalloc((size_t)v->works.count + 1, sizeof *took);
  double *hints = xcalloc((size_t)v->works.count + 1, sizeof *hints);
  for (int i = 0; i < v->works.count; i++) {
    const struct work *w = v->works.at[i];
    if (w->of != x)
      continue;
    f.begun++;
    if (w->passed_ms) {
      hints[f.passed] = w->hints;
      took[f.passed++] = (double)(w->passed_ms - w->begun_ms);
    }
  }
  if (f.passed) {
    f.median_ms = (int64_t)median_of(took, (size_t)f.passed);
    f.median_hints = median_of(hints, (size_t)f.passed);
  }
  free(took);
  free(hints);
  for (int k = 0; k < x->mistake_count; k++)
    take_mistake(&f, &x->mistakes[k]);
  return f;
}

static char *name_of(const struct view *v, const struct learner *l,
                     bool hides) {
  if (!hides)
    return xstrdup(l->name);
  for (int i = 0;; i++)
    if (v->learners.at[i] == l)
      return xasprintf("learner %d", i + 1);
}

static char *place_of(const struct learner *l) {
  const char *dot = l->lesson ? strstr(l->lesson, ".md") : NULL;
  int n =
      l->lesson ? (int)(dot ? dot - l->lesson : (long)strlen(l->lesson)) : 0;
  return xasprintf("%.*s%s%s%s%s", n, l->lesson ? l->lesson : "", n ? " p" : "",
                   n ? l->page : "", l->exercise ? (n ? " · " : "") : "",
                   l->exercise ? l->exercise : "");
}

char *view_name(const struct view *v, uid_t uid, bool hides) {
  for (int i = 0; i < v->learners.count; i++) {
    const struct learner *l = v->learners.at[i];
    if (l->uid == uid)
      return name_of(v, l, hides);
  }
  const struct passwd *p = hides ? NULL : getpwuid(uid);
  return hides ? xstrdup("another user")
         : p   ? xstrdup(p->pw_name)
               : xasprintf("%u", (unsigned)uid);
}

// "12 s", "5 min", "3 h"
static char *span_text(int64_t ms) {
  int64_t s = ms > 0 ? ms / 1000 : 0;
  return s < 60     ? xasprintf("%d s", (int)s)
         : s < 7200 ? xasprintf("%d min", (int)(s / 60))
                    : xasprintf("%d h", (int)(s / 3600));
}

// ---- For people ----

static void add_learner(struct str *s, const struct view *v,
                        const struct row *r, const struct view_options *q) {
  int room = q->width > 100 ? 44 : q->width - 56;
  char *name = name_of(v, r->l, q->hides_names), *place = place_of(r->l);
  char *since = span_text(r->waits_ms);
  str_addf(s, "%c ", r->is_stuck ? '!' : ' ');
  width_pad(s, name, 14);
  str_add_char(s, ' ');
  width_pad(s,
            is_there(r->l)  ? place
            : r->l->is_here ? "away"
                            : "has left",
            room > 0 ? room : 1);
  str_addf(s, " %7s  %-18.18s", since, r->l->code ? r->l->code : "");
  if (r->l->times > 1)
    str_addf(s, " x%d", r->l->times);
  str_add(s, "\n");
  free(name);
  free(place);
  free(since);
}

// As many as there is room for, and the commonest one at least.
static void add_mistakes(struct str *s, const struct funnel *f, size_t room) {
  size_t from = s->len;
  for (int k = 0; k < SHOWN_MISTAKES && f->commonest[k]; k++) {
    const struct mistake *m = f->commonest[k];
    char *text = xasprintf("%s%s x%d", k ? ", " : "", m->code, m->count);
    bool fits = !k || s->len - from + strlen(text) <= room;
    if (fits)
      str_add(s, text);
    free(text);
    if (!fits)
      return;
  }
}

static void add_exercise(struct str *s, const struct view *v,
                         const struct exercise_row *x, int width) {
  enum { BEFORE = 54 }; // columns
  struct funnel f = funnel_of(v, x);
  char *took = f.passed ? span_text(f.median_ms) : xstrdup("-");
  str_addf(s, "  %-20.20s %5d %6d %8s", x->name, f.begun, f.passed, took);
  if (f.passed)
    str_addf(s, " %6.1f", f.median_hints);
  else
    str_addf(s, " %6s", "-");
  if (f.commonest[0])
    str_add(s, "   ");
  add_mistakes(s, &f, width > BEFORE ? (size_t)(width - BEFORE) : 0);
  str_add(s, "\n");
  free(took);
}

static void add_asks(struct str *s, const struct view *v,
                     const struct view_options *q) {
  enum { SHOWN = 5 };
  int from = v->asks.count > SHOWN ? v->asks.count - SHOWN : 0;
  for (int i = from; i < v->asks.count; i++) {
    const struct ask *a = v->asks.at[i];
    char *name = name_of(v, a->by, q->hides_names);
    char *ago = span_text(q->now_ms - a->time_ms);
    str_addf(s, "%s  ? %s, %s ago%s%s: %s\n", i == from ? "\n" : "", name, ago,
             *a->where ? ", " : "", a->where, a->text);
    free(name);
    free(ago);
  }
}

static void add_sick(struct str *s, const struct view *v,
                     const struct view_options *q) {
  for (int i = 0; i < v->sick.count; i++) {
    const struct sick *k = v->sick.at[i];
    char *ago = span_text(q->now_ms - k->time_ms);
    str_addf(s, "%s! GPU %s is sick, told %s ago: %s\n", i ? "" : "\n", k->gpu,
             ago, k->where);
    free(ago);
  }
}

char *view_text(const struct view *v, const struct view_options *q) {
  struct row *rows = sort_rows(v, q->now_ms);
  struct str s = STR_INIT;
  int here = 0, stuck = 0, away = 0;
  for (int i = 0; i < v->learners.count; i++) {
    here += is_there(rows[i].l);
    away += rows[i].l->is_here && rows[i].l->is_away;
    stuck += rows[i].is_stuck;
  }
  str_addf(&s, "%s · %d here · %d stuck", v->room->name, here, stuck);
  if (away)
    str_addf(&s, " · %d away", away);
  str_add(&s, "\n");
  for (int i = 0; i < v->learners.count; i++)
    add_learner(&s, v, &rows[i], q);
  add_sick(&s, v, q);
  add_asks(&s, v, q);
  if (v->exercises.count)
    str_addf(&s, "\n  %-20s %5s %6s %8s %6s   %s\n", "exercise", "begun",
             "passed", "median", "hints", "commonest mistakes");
  for (int i = 0; i < v->exercises.count; i++)
    add_exercise(&s, v, v->exercises.at[i], q->width);
  for (int i = 0; i < v->odd.count; i++)
    str_addf(&s, "%s  ~ %s\n", i ? "" : "\n", (const char *)v->odd.at[i]);
  free(rows);
  return str_take(&s);
}

// ---- For programs ----

static json_t *seconds(int64_t ms) {
  return json_integer((json_int_t)(ms / 1000));
}

static json_t *learner_json(const struct view *v, const struct row *r,
                            const struct view_options *q) {
  const struct learner *l = r->l;
  char *name = name_of(v, l, q->hides_names);
  json_t *o = json_pack(
      "{s:s,s:b,s:b,s:b,s:s?,s:s?,s:s?,s:o,s:o,s:s?,s:i,s:i,s:i}", "learner",
      name, "here", is_there(l), "away", l->is_here && l->is_away, "stuck",
      r->is_stuck, "lesson", l->lesson, "page", l->page, "exercise",
      l->exercise, "since_s", seconds(r->waits_ms), "quiet_s",
      seconds(q->now_ms - l->last_ms), "code", l->code, "times", l->times,
      "hints", l->hints, "passes", l->passes);
  if (!q->hides_names)
    json_object_set_new(o, "uid", json_integer(l->uid));
  free(name);
  return o;
}

static json_t *exercise_json(const struct view *v,
                             const struct exercise_row *x) {
  struct funnel f = funnel_of(v, x);
  json_t *mistakes = json_object();
  for (int k = 0; k < x->mistake_count; k++)
    json_object_set_new(mistakes, x->mistakes[k].code,
                        json_integer(x->mistakes[k].count));
  return json_pack(
      "{s:s,s:i,s:i,s:o,s:o,s:o}", "exercise", x->name, "begun", f.begun,
      "passed", f.passed, "median_s",
      f.passed ? seconds(f.median_ms) : json_null(), "hints_to_pass",
      f.passed ? json_real(f.median_hints) : json_null(), "mistakes", mistakes);
}

static json_t *ask_json(const struct view *v, const struct ask *a,
                        const struct view_options *q) {
  char *name = name_of(v, a->by, q->hides_names);
  json_t *o = json_pack("{s:s,s:o,s:s,s:s}", "learner", name, "ago_s",
                        seconds(q->now_ms - a->time_ms), "where", a->where,
                        "text", a->text);
  free(name);
  return o;
}

static json_t *sick_json(const struct sick *k, const struct view_options *q) {
  return json_pack("{s:s,s:s,s:o}", "gpu", k->gpu, "where", k->where, "ago_s",
                   seconds(q->now_ms - k->time_ms));
}

json_t *view_json(const struct view *v, const struct view_options *q) {
  struct row *rows = sort_rows(v, q->now_ms);
  json_t *learners = json_array(), *exercises = json_array();
  json_t *asks = json_array(), *sick = json_array(), *odd = json_array();
  for (int i = 0; i < v->sick.count; i++)
    json_array_append_new(sick, sick_json(v->sick.at[i], q));
  for (int i = 0; i < v->learners.count; i++)
    json_array_append_new(learners, learner_json(v, &rows[i], q));
  for (int i = 0; i < v->exercises.count; i++)
    json_array_append_new(exercises, exercise_json(v, v->exercises.at[i]));
  for (int i = 0; i < v->asks.count; i++)
    json_array_append_new(asks, ask_json(v, v->asks.at[i], q));
  for (int i = 0; i < v->odd.count; i++)
    json_array_append_new(odd, json_string(v->odd.at[i]));
  free(rows);
  return json_pack("{s:s,s:s,s:o,s:o,s:o,s:o,s:o}", "schema",
                   "warpshop.class/1", "room", v->room->name, "learners",
                   learners, "exercises", exercises, "asks", asks, "sick", sick,
                   "odd", odd);
}
