// SPDX-License-Identifier: Apache-2.0
// Races of kernels that order their threads by more than __syncthreads(): a flag
// or a counter that tells others of a value, copies that run beside the threads.
// What stands on the lines between the two accesses is all that is looked at.
#include "gpu/finding/finding_signal.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/finding/finding_place.h"
#include "gpu/finding/finding_race.h"
#include "gpu/finding/finding_value.h"

static bool is_letter(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

static int line_of(const struct meeting *m, const char *at) {
  int line = 1;
  for (const char *c = m->code; c < at; c++)
    line += *c == '\n';
  return line;
}

// Where the text stands next between two places; NULL: nowhere.
static const char *find_text(const char *from, const char *end,
                             const char *text) {
  size_t n = strlen(text);
  for (; from + n <= end; from++)
    if (!strncmp(from, text, n))
      return from;
  return NULL;
}

// ---- Copies beside the threads ----

static int count_text(const char *from, const char *end, const char *text) {
  int count = 0;
  while ((from = find_text(from, end, text))) {
    count++;
    from += strlen(text);
  }
  return count;
}

// "__pipeline_wait_prior(N" at `c`; -1: no number.
static int read_groups(const char *c) {
  c += strcspn(c, "(") + 1;
  return isdigit((unsigned char)*c) ? atoi(c) : -1;
}

static bool has_loop(const struct party *p) {
  for (int i = 0; i < p->count; i++)
    if (p->all[i].clause == FINDING_LOOP)
      return true;
  return false;
}

// A copy on the one line, and the other uses its cells: what waits in between?
bool finding_explain_copy(struct str *out, const struct meeting *m) {
  static const char copy[] = "__pipeline_memcpy_async(";
  static const char wait[] = "__pipeline_wait_prior(";
  const struct party *a = &m->one, *b = &m->two;
  const char *from = a->line + a->length, *end = b->line;
  if (!m->is_same_block || m->is_same_line || has_loop(a) || has_loop(b) ||
      a->place->access != GPU_WRITE || b->place->access != GPU_READ ||
      !find_text(a->line, from, copy) || find_text(end, end + b->length, copy))
    return false;
  const char *at = NULL;
  for (const char *c = from; (c = find_text(c, end, wait)); c++)
    at = c;
  if (!at && find_text(from, end, "wait"))
    return false;
  if (!at) {
    str_addf(
        out,
        "The copy on line %d goes on beside the threads, and nothing waits "
        "for it before line %d: __pipeline_wait_prior(0), then "
        "__syncthreads().",
        a->place->line, b->place->line);
    return true;
  }
  int groups = read_groups(at);
  int commits = count_text(from, at, "__pipeline_commit(");
  if (groups > 0 && commits > 0 && commits <= groups) {
    str_addf(out,
             "The wait on line %d leaves out the newest committed copies (%d "
             "group%s), and those of line %d are among them: "
             "__pipeline_wait_prior(0) before line %d.",
             line_of(m, at), groups, groups == 1 ? "" : "s", a->place->line,
             b->place->line);
    return true;
  }
  if (groups != 0 || find_text(at, end, "sync") || find_text(at, end, "bar"))
    return false;
  str_addf(out,
           "The wait on line %d is for the thread's own copies alone: what "
           "others copied is there after a __syncthreads() behind it.",
           line_of(m, at));
  return true;
}

// Does each round, or each thread, come by there?
static bool is_unconditional(const struct meeting *m, const char *at) {
  struct finding_condition all[FINDING_CONDITIONS];
  int count = finding_conditions(m->code, at, all);
  for (int i = 0; i < count; i++)
    if (all[i].clause != FINDING_LOOP)
      return false;
  return count >= 0;
}

// The last place before `end` where the text stands; NULL: nowhere.
static const char *find_last(const char *from, const char *end,
                             const char *text) {
  const char *at = NULL;
  for (const char *c = from; (c = find_text(c, end, text)); c++)
    at = c;
  return at;
}

// A copy that has not come for sure, also in a loop: the wait in front of who
// reads, and on which side of it the barrier stands.
bool finding_explain_pending(struct str *out, const struct meeting *m) {
  static const char sync[] = "__syncthreads()";
  bool is_first = m->one.place->access == GPU_READ;
  const struct party *reads = is_first ? &m->one : &m->two;
  const char *at = find_last(m->code, reads->line, "__pipeline_wait_prior(");
  if (!str_starts(m->s->finding->text, "An asynchronous copy brings") ||
      reads->place->access != GPU_READ || !at || !is_unconditional(m, at) ||
      finding_has_text(m->code, reads->line, "asm"))
    return false;
  int groups = read_groups(at);
  const char *commit = find_last(m->code, at, "__pipeline_commit(");
  const char *before = commit ? find_text(commit, at, sync) : NULL;
  bool is_behind = find_text(at, reads->line, sync);
  if (!is_behind && before)
    str_addf(out,
             "The barrier on line %d stands before the wait on line %d: there, "
             "others' copies need not have come. First wait, then "
             "__syncthreads().",
             line_of(m, before), line_of(m, at));
  else if (!is_behind)
    str_addf(out,
             "The wait on line %d is for the thread's own copies alone: what "
             "others copied is there after a __syncthreads() behind it.",
             line_of(m, at));
  else if (groups > 0)
    str_addf(out,
             "The wait on line %d leaves out as many of the newest committed "
             "bundles as its bracket says, %d, and the copy was in one of "
             "those: commit one in every round, an empty one where nothing is "
             "ordered, or leave fewer out.",
             line_of(m, at), groups);
  return !is_behind || groups > 0;
}

// ---- Flags and counters ----

// Is the name declared as a pointer to what is volatile, or as volatile itself?
static bool is_volatile(const struct meeting *m, struct finding_span name) {
  for (const char *c = m->code; (c = strstr(c, "volatile ")); c++) {
    const char *end = c + strcspn(c, ";=,)({");
    while (end > c && strchr(" \n", end[-1]))
      end--;
    if (end - c > name.length && !is_letter(end[-name.length - 1]) &&
        !memcmp(end - name.length, name.text, (size_t)name.length))
      return true;
  }
  return false;
}

struct signal {
  const char *at;
  struct finding_span function; // "atomicExch"; length 0: a store
  struct finding_span target;   // the flag or counter
};

// "atomicExch(&flag[0], 1)", "*flag = 1", "flag[0] = 1" of what is volatile.
static bool read_signal(const struct meeting *m, const char *c,
                        struct signal *out) {
  struct finding_span rest = {c, (int)strcspn(c, ";\n")};
  struct finding_span name = finding_next_name(&rest);
  const char *after = name.text + name.length;
  if (name.text != c + (*c == '*'))
    return false;
  *out = (struct signal){.at = c, .target = name};
  if (name.length > 6 && !memcmp(name.text, "atomic", 6) && *after == '(') {
    out->function = name;
    out->target = finding_next_name(&rest);
    return out->target.length > 0;
  }
  after += *after == '[' ? strcspn(after, "]\n") + 1 : 0;
  return finding_is_assigned(after) && is_volatile(m, name);
}

// The first place between two that tells others something.
static bool find_signal(const struct meeting *m, const char *from,
                        const char *end, struct signal *out) {
  for (; from < end; from++)
    if (!is_letter(from[-1]) && (is_letter(*from) || *from == '*') &&
        read_signal(m, from, out))
      return true;
  return false;
}

static bool has_name(struct finding_span text, struct finding_span name) {
  struct finding_span one;
  while ((one = finding_next_name(&text)).length)
    if (finding_are_equal(one, name))
      return true;
  return false;
}

// Does the text look at the signal's target in a way that may see it change?
static bool looks(const struct meeting *m, struct finding_span text,
                  const struct signal *s) {
  const char *end = text.text + text.length;
  return has_name(text, s->target) &&
         (find_text(text.text, end, "atomic") ||
          find_text(text.text, end, "volatile") || is_volatile(m, s->target));
}

// Does the reader come behind a loop that waits for the signal, or under a
// condition that an atomic of its target gave?
static bool is_told(const struct meeting *m, const struct party *reads,
                    const struct signal *s) {
  for (int i = 0; i < reads->count; i++) {
    struct finding_span rest = reads->all[i].text, name;
    if (looks(m, rest, s))
      return true;
    while ((name = finding_next_name(&rest)).length) {
      struct finding_span value = finding_value_of(m->code, name);
      if (value.length && looks(m, value, s))
        return true;
    }
  }
  for (const char *c = s->at; (c = find_text(c, reads->line, "while")); c++)
    if (looks(m, (struct finding_span){c, (int)strcspn(c, "{;\n")}, s))
      return true;
  return false;
}

static void add_signal(struct str *out, const struct signal *s) {
  if (s->function.length)
    finding_add_span(out, s->function);
  else
    str_add(out, "the store");
}

// A value, and behind it a flag or a counter that tells another thread of it.
bool finding_explain_signal(struct str *out, const struct meeting *m) {
  const struct party *writes =
      m->one.place->access == GPU_WRITE ? &m->one : &m->two;
  const struct party *reads = writes == &m->one ? &m->two : &m->one;
  struct signal s;
  const char *from = writes->line + writes->length;
  if (m->is_same_line || m->s->finding->space != GPU_SPACE_GLOBAL ||
      writes->place->access != GPU_WRITE || reads->place->access != GPU_READ ||
      reads->line < from || !find_signal(m, from, reads->line, &s) ||
      !is_told(m, reads, &s) || find_text(from, reads->line, "asm") ||
      find_text(from, reads->line, "cuda::"))
    return false;
  int line = line_of(m, s.at);
  bool is_fenced = find_text(from, s.at, "__threadfence()") ||
                   find_text(from, s.at, "__threadfence_system()");
  bool is_narrow =
      s.function.length > 6 &&
      !memcmp(s.function.text + s.function.length - 6, "_block", 6);
  if (!is_fenced &&
      !(m->is_same_block && find_text(from, s.at, "__threadfence_block()"))) {
    str_addf(out, "Line %d writes, and ", writes->place->line);
    add_signal(out, &s);
    str_addf(out,
             " on line %d tells others of it: without __threadfence() between "
             "the two lines they may see the second before the first.",
             line);
    return true;
  }
  if (!is_narrow || m->is_same_block)
    return false;
  add_signal(out, &s);
  str_addf(
      out,
      " on line %d orders the threads of its own block only, and line %d is "
      "of another: %.*s is for all.",
      line, reads->place->line, s.function.length - 6, s.function.text);
  return true;
}
