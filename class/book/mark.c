// SPDX-License-Identifier: Apache-2.0
#include "class/book/mark.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "class/book/evidence.h"
#include "class/book/sql.h"

// The group that one hands in with, by the last that was said of it.
struct member {
  int64_t learner;
  char *always, *here; // NULL: nothing was said; "": none
};

struct marks {
  struct book *book;
  int64_t exercise;
  struct rule rule;
  struct book_said rule_said; // number 0: no rule was made
  int64_t upto;               // verdicts that the last regrading knew
  int member_count;
  struct member *members;
};

struct attempt {
  int64_t number, time_ms, order_ms, verdict;
  char *who, *sha256, *from, *version, *program, *seed;
  double earned, possible;
  int receipt, share;
  int64_t mark; // hundredths; with what lateness takes off
  struct str late;
};

struct attempts {
  int count;
  struct attempt *list;
};

void mark_free(struct mark *m) {
  str_free(&m->steps);
}

// ---- What an exercise's marks share ----

static struct member *member_of(struct marks *m, int64_t learner) {
  for (int i = 0; i < m->member_count; i++)
    if (m->members[i].learner == learner)
      return &m->members[i];
  m->members =
      xrealloc(m->members, (size_t)(m->member_count + 1) * sizeof *m->members);
  m->members[m->member_count] = (struct member){.learner = learner};
  return &m->members[m->member_count++];
}

static void read_groups(struct marks *m) {
  for (struct sql_rows r = sql_rows(
           m->book,
           "SELECT learner, exercise, value FROM event WHERE kind = 'group'"
           " AND (exercise IS NULL OR exercise = ?) ORDER BY number",
           "i", m->exercise);
       sql_next(&r);) {
    struct member *one = member_of(m, sql_integer(&r, 0));
    char **name = sql_integer(&r, 1) ? &one->here : &one->always;
    json_t *value = json_loads(sql_column(&r, 2), JSON_DECODE_ANY, NULL);
    const char *text = json_string_value(value);
    free(*name);
    *name = xstrdup(text ? text : "");
    json_decref(value);
  }
}

struct marks *marks_open(struct book *b, int64_t exercise) {
  struct marks *m = xcalloc(1, sizeof *m);
  struct book_said regrade;
  m->book = b;
  m->exercise = exercise;
  event_last(b, "rule", 0, exercise, &m->rule_said);
  rule_from_json(m->rule_said.value, &m->rule);
  if (event_last(b, "regrade", 0, exercise, &regrade))
    m->upto = json_integer_value(regrade.value);
  book_said_free(&regrade);
  read_groups(m);
  return m;
}

void marks_close(struct marks *m) {
  for (int i = 0; i < m->member_count; i++) {
    free(m->members[i].always);
    free(m->members[i].here);
  }
  free(m->members);
  book_said_free(&m->rule_said);
  free(m);
}

static const char *group_name(const struct member *one) {
  const char *name = one->here ? one->here : one->always;
  return name ? name : "";
}

int64_t *marks_group(struct marks *m, int64_t learner, int *count) {
  int64_t *list = xcalloc((size_t)m->member_count + 1, sizeof *list);
  const char *name = "";
  *count = 0;
  list[(*count)++] = learner;
  for (int i = 0; i < m->member_count; i++)
    if (m->members[i].learner == learner)
      name = group_name(&m->members[i]);
  for (int i = 0; i < m->member_count && name[0]; i++)
    if (m->members[i].learner != learner &&
        !strcmp(group_name(&m->members[i]), name))
      list[(*count)++] = m->members[i].learner;
  return list;
}

// ---- Attempts ----

// A receipt's time counts before the file's own, and that before the time at which
// a verdict without a file was taken in.
static const char attempts_sql[] =
    "SELECT s.number, s.time_ms, s.attempt, l.name, s.sha256, s.time_from,"
    " v.number, v.earned, v.possible, v.program, v.seed, v.version"
    " FROM submission s JOIN learner l ON l.id = s.learner"
    " LEFT JOIN verdict v ON v.number = coalesce("
    "  (SELECT max(number) FROM verdict w WHERE w.exercise = s.exercise"
    "   AND w.learner = s.learner AND w.sha256 = s.sha256"
    "   AND w.earned IS NOT NULL AND w.number <= ?3),"
    "  (SELECT min(number) FROM verdict w WHERE w.exercise = s.exercise"
    "   AND w.learner = s.learner AND w.sha256 = s.sha256"
    "   AND w.earned IS NOT NULL))"
    " WHERE s.exercise = ?1 AND s.learner = ?2"
    " AND NOT EXISTS ("
    "  SELECT 1 FROM submission r WHERE r.exercise = s.exercise"
    "  AND r.learner = s.learner AND r.sha256 = s.sha256"
    "  AND instr('taken file receipt', r.time_from)"
    "    > instr('taken file receipt', s.time_from))"
    " ORDER BY s.attempt IS NULL, s.attempt, s.number";

static struct attempt read_attempt(const struct sql_rows *r) {
  return (struct attempt){
      .number = sql_integer(r, 0),
      .time_ms = sql_integer(r, 1),
      .receipt = (int)sql_integer(r, 2),
      .who = xstrdup(sql_column(r, 3)),
      .sha256 = xstrdup(sql_column(r, 4)),
      .from = xstrdup(sql_column(r, 5)),
      .verdict = sql_integer(r, 6),
      .earned = sql_double(r, 7),
      .possible = sql_double(r, 8),
      .program = xstrdup(sql_column(r, 9)),
      .seed = xstrdup(sql_column(r, 10)),
      .version = xstrdup(sql_column(r, 11)),
      .late = STR_INIT,
  };
}

// One learner's. Receipts are numbered: a clock of the file server that stood back
// between two does not turn them around.
static void read_attempts(struct marks *m, int64_t learner,
                          struct attempts *all) {
  int64_t last_ms = INT64_MIN;
  for (struct sql_rows r = sql_rows(m->book, attempts_sql, "iii", m->exercise,
                                    learner, m->upto);
       sql_next(&r);) {
    struct attempt a = read_attempt(&r);
    a.order_ms = a.receipt && a.time_ms < last_ms ? last_ms : a.time_ms;
    last_ms = a.receipt ? a.order_ms : last_ms;
    all->list =
        xrealloc(all->list, (size_t)(all->count + 1) * sizeof *all->list);
    all->list[all->count++] = a;
  }
}

static int by_order(const void *a, const void *b) {
  const struct attempt *x = a, *y = b;
  if (x->order_ms != y->order_ms)
    return x->order_ms < y->order_ms ? -1 : 1;
  return x->number < y->number ? -1 : x->number > y->number;
}

static void free_attempts(struct attempts *all) {
  for (int i = 0; i < all->count; i++) {
    struct attempt *a = &all->list[i];
    free(a->who);
    free(a->sha256);
    free(a->from);
    free(a->version);
    free(a->program);
    free(a->seed);
    str_free(&a->late);
  }
  free(all->list);
}

static int64_t points_of(const struct marks *m, const struct attempt *a) {
  return m->rule.of ? m->rule.of : llround(a->possible * MARK_UNIT);
}

// ---- Steps ----

static void add_source(struct str *s, const struct book_said *said) {
  char *time = rule_show_time(said->time_ms);
  str_addf(s, "  [event %lld, %s, %s%s%s]\n", (long long)said->number,
           said->author, time, said->reason[0] ? ": " : "", said->reason);
  free(time);
}

static void say_rule(struct marks *m, struct str *s) {
  str_add(s, "rule: ");
  rule_describe(&m->rule, s);
  if (m->rule_said.number)
    add_source(s, &m->rule_said);
  else
    str_add(s, "  [no rule was made]\n");
}

static void say_attempt(struct str *s, int i, const struct marks *m,
                        const struct attempt *a) {
  char mark[MARK_TEXT], of[MARK_TEXT];
  char *time = rule_show_time(a->time_ms);
  str_addf(s, "attempt %d by %s, %s by ", i + 1, a->who, time);
  if (a->receipt)
    str_addf(s, "receipt %d", a->receipt);
  else
    str_addf(s, "%s",
             strcmp(a->from, "file") != 0 ? "the time of taking it in"
                                          : "the file's own time");
  if (a->order_ms > a->time_ms)
    str_add(s, " (the clock stood back: it came after the one before)");
  str_addf(s, ": ");
  if (!a->verdict) {
    str_add(s, "not judged yet, so it does not count");
  } else {
    str_addf(s, "%g of %g, %s", a->earned, a->possible, a->late.data);
    if (a->share >= 0)
      str_addf(s, ": %g / %g x %s x %g%% = %s", a->earned, a->possible,
               rule_show_points(of, points_of(m, a)), a->share / 100.0,
               rule_show_points(mark, a->mark));
  }
  str_addf(s, "  [hand-in %lld, sha256 %.12s", (long long)a->number, a->sha256);
  if (a->verdict)
    str_addf(s, "; verdict %lld, warpshop %s, exercise %.12s, seed %.12s",
             (long long)a->verdict, a->program,
             a->version[0] ? a->version : "of no version", a->seed);
  str_add(s, "]\n");
  free(time);
}

// ---- A mark ----

// Which of those before the cutoff, or after it, counts; NULL: none.
static const struct attempt *choose(const struct marks *m,
                                    const struct attempts *all, bool is_after) {
  const struct attempt *best = NULL;
  for (int i = 0; i < all->count; i++) {
    const struct attempt *a = &all->list[i];
    if (!a->verdict || (a->share < 0) != is_after)
      continue;
    if (!best || m->rule.attempt == ATTEMPT_LAST ||
        (m->rule.attempt == ATTEMPT_BEST && a->mark > best->mark))
      best = a;
  }
  return best;
}

// One before the cutoff that waits for its verdict may count yet.
static bool is_any_waiting(const struct attempts *all) {
  for (int i = 0; i < all->count; i++)
    if (!all->list[i].verdict && all->list[i].share >= 0)
      return true;
  return false;
}

static void say_extension(const struct book_said *said, struct str *s) {
  int64_t due_ms = json_integer_value(said->value);
  char *time = rule_show_time(due_ms);
  if (due_ms)
    str_addf(s, "extension: due %s", time);
  else
    str_add(s, "extension: taken back");
  add_source(s, said);
  free(time);
}

static void find_rule(struct marks *m, int64_t learner, struct str *s,
                      struct marks_rule *out) {
  struct book_said said;
  *out = (struct marks_rule){.rule = m->rule, .event = m->rule_said.number};
  if (event_last(m->book, "extension", learner, m->exercise, &said)) {
    int64_t due_ms = json_integer_value(said.value);
    out->is_extended = due_ms != 0;
    out->rule.due_ms = due_ms ? due_ms : out->rule.due_ms;
    out->event = said.number > out->event ? said.number : out->event;
    if (s)
      say_extension(&said, s);
  }
  book_said_free(&said);
}

void marks_rule_of(struct marks *m, int64_t learner, struct marks_rule *out) {
  find_rule(m, learner, NULL, out);
}

static void take_attempts(struct marks *m, int64_t learner,
                          struct attempts *all) {
  int count;
  int64_t *group = marks_group(m, learner, &count);
  for (int i = 0; i < count; i++)
    read_attempts(m, group[i], all);
  if (all->count)
    qsort(all->list, (size_t)all->count, sizeof *all->list, by_order);
  free(group);
}

int64_t marks_possible(struct marks *m) {
  static const char newest[] =
      "SELECT CAST(round(100 * possible) AS INTEGER) FROM verdict WHERE "
      "exercise = ?1 AND earned IS NOT"
      " NULL ORDER BY number <= ?2 DESC, CASE WHEN number <= ?2 THEN -number"
      " ELSE number END LIMIT 1";
  return m->rule.of
             ? m->rule.of
             : sql_number(m->book, 0, newest, "ii", m->exercise, m->upto);
}

static void say_group(struct marks *m, int64_t learner, struct str *s) {
  int count;
  int64_t *group = marks_group(m, learner, &count);
  if (count > 1)
    str_addf(s,
             "group: hands in together with %d other%s, whose attempts "
             "count as well\n",
             count - 1, count > 2 ? "s" : "");
  free(group);
}

static void say_cutoff(int64_t cutoff_ms, struct str *s) {
  char *time = rule_show_time(cutoff_ms);
  str_addf(s, "counts: nothing, as all of it came after the cutoff, %s: 0\n",
           time);
  free(time);
}

static void take_counting(struct marks *m, const struct rule *rule,
                          const struct attempts *all, struct mark *out) {
  const struct attempt *a = choose(m, all, false);
  char text[MARK_TEXT];
  if (!a && !is_any_waiting(all)) {
    a = choose(m, all, true);
    out->cutoff_ms = a ? rule_cutoff_ms(rule) : 0;
  }
  out->of = a ? points_of(m, a) : rule->of;
  if (!a)
    return;
  out->is_there = out->is_computed = true;
  out->value = out->computed = a->mark;
  out->submission = a->number;
  out->verdict = a->verdict;
  out->handed_in_ms = a->time_ms;
  out->late_off = rule_mark(a->earned, a->possible, out->of, 10000) - a->mark;
  if (out->cutoff_ms)
    say_cutoff(out->cutoff_ms, &out->steps);
  else
    str_addf(&out->steps, "counts: attempt %d, the %s: %s\n",
             (int)(a - all->list) + 1, rule_attempt_name(rule->attempt),
             rule_show_points(text, a->mark));
}

static void compute(struct marks *m, int64_t learner, struct mark *out) {
  struct attempts all = {0};
  say_rule(m, &out->steps);
  struct marks_rule said;
  find_rule(m, learner, &out->steps, &said);
  const struct rule rule = said.rule;
  say_group(m, learner, &out->steps);
  take_attempts(m, learner, &all);
  for (int i = 0; i < all.count; i++) {
    struct attempt *a = &all.list[i];
    out->unjudged += !a->verdict;
    a->share = rule_late_share(&rule, a->time_ms, &a->late);
    if (a->verdict && a->share >= 0)
      a->mark = rule_mark(a->earned, a->possible, points_of(m, a), a->share);
    say_attempt(&out->steps, i, m, a);
  }
  out->due_ms = rule.due_ms;
  take_counting(m, &rule, &all, out);
  free_attempts(&all);
}

void marks_of(struct marks *m, int64_t learner, struct mark *out) {
  struct book_said said;
  char value[MARK_TEXT], of[MARK_TEXT];
  *out = (struct mark){.steps = STR_INIT};
  compute(m, learner, out);
  if (event_last(m->book, "override", learner, m->exercise, &said)) {
    bool is_set = json_is_integer(said.value);
    if (is_set) {
      out->is_there = true;
      out->value = json_integer_value(said.value);
      out->override = said.number;
      out->late_off = out->cutoff_ms = 0;
      out->of = out->of ? out->of : marks_possible(m);
      str_addf(&out->steps, "an instructor's own mark: %s",
               rule_show_points(value, out->value));
    } else {
      str_add(&out->steps, "an instructor's own mark was taken back");
    }
    add_source(&out->steps, &said);
  }
  book_said_free(&said);
  if (out->is_there)
    str_addf(&out->steps, "mark: %s of %s\n",
             rule_show_points(value, out->value),
             rule_show_points(of, out->of));
  else
    str_add(&out->steps, "mark: none yet\n");
}

// ---- Marks that are kept ----

json_t *mark_json(const struct mark *m) {
  if (!m->is_there)
    return NULL;
  json_t *o = json_pack("{s:I,s:I}", "mark", (json_int_t)m->value, "of",
                        (json_int_t)m->of);
  if (m->is_computed)
    json_object_update_new(o, json_pack("{s:I,s:I,s:I}", "computed",
                                        (json_int_t)m->computed, "hand-in",
                                        (json_int_t)m->submission, "verdict",
                                        (json_int_t)m->verdict));
  if (m->override)
    json_object_set_new(o, "override", json_integer(m->override));
  return o;
}

json_t *mark_kept(struct book *b, int64_t learner, int64_t exercise) {
  struct book_said said;
  event_last(b, "mark", learner, exercise, &said);
  json_t *o = json_is_object(said.value) ? json_incref(said.value) : NULL;
  book_said_free(&said);
  return o;
}

static bool is_same(const json_t *a, const json_t *b, const char *field) {
  return json_integer_value(json_object_get(a, field)) ==
         json_integer_value(json_object_get(b, field));
}

struct settling {
  struct book *book;
  const char *exercise, *reason;
  bool is_kept; // what is not as it was kept is kept anew
  mark_tell tell;
  void *context;
};

static void settle_one(const struct settling *q, struct marks *m,
                       int64_t learner, const char *name) {
  struct mark mark;
  marks_of(m, learner, &mark);
  json_t *from = mark_kept(q->book, learner, m->exercise);
  json_t *to = mark_json(&mark);
  if (from || to) {
    struct mark_change change = {.learner = name,
                                 .exercise = q->exercise,
                                 .from = from,
                                 .to = to,
                                 .is_other = !from || !to ||
                                             !is_same(from, to, "mark") ||
                                             !is_same(from, to, "of")};
    bool is_changed = !from || !to || !json_equal(from, to);
    if (is_changed && q->is_kept) {
      struct book_event event = {.kind = "mark",
                                 .learner = learner,
                                 .exercise = m->exercise,
                                 .value = to ? json_incref(to) : json_null(),
                                 .reason = q->reason};
      event_insert(q->book, &event);
    }
    if (is_changed && q->tell)
      q->tell(q->context, &change);
  }
  json_decref(from);
  json_decref(to);
  mark_free(&mark);
}

static void settle_exercise(struct settling *q, int64_t exercise) {
  struct marks *m = marks_open(q->book, exercise);
  char *name = sql_text(q->book, "SELECT name FROM exercise WHERE id = ?", "i",
                        exercise);
  q->exercise = name ? name : "";
  for (struct sql_rows r =
           sql_rows(q->book, "SELECT id, name FROM learner ORDER BY name", "");
       sql_next(&r);)
    settle_one(q, m, sql_integer(&r, 0), sql_column(&r, 1));
  free(name);
  marks_close(m);
}

void marks_settle(struct book *b, int64_t exercise, const char *reason,
                  mark_tell tell, void *context) {
  struct settling q = {.book = b,
                       .reason = reason,
                       .is_kept = true,
                       .tell = tell,
                       .context = context};
  settle_exercise(&q, exercise);
}

void marks_settle_all(struct book *b, int64_t exercise, const char *reason,
                      mark_tell tell, void *context) {
  for (struct sql_rows r = sql_rows(
           b, "SELECT id FROM exercise WHERE ?1 IN (0, id)", "i", exercise);
       sql_next(&r);)
    marks_settle(b, sql_integer(&r, 0), reason, tell, context);
}

void marks_compare(struct book *b, mark_tell tell, void *context) {
  struct settling q = {.book = b, .tell = tell, .context = context};
  for (struct sql_rows r =
           sql_rows(b, "SELECT id FROM exercise ORDER BY name", "");
       sql_next(&r);)
    settle_exercise(&q, sql_integer(&r, 0));
}
