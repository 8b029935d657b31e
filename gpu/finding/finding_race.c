// SPDX-License-Identifier: Apache-2.0
// Why two threads met in one cell, from facts: the two accesses, what their
// indices are worth to each of the two, the barriers and loops around them.
#include "gpu/finding/finding_race.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/finding/finding_index.h"
#include "gpu/finding/finding_place.h"
#include "gpu/finding/finding_signal.h"
#include "gpu/finding/finding_update.h"
#include "gpu/finding/finding_use.h"
#include "gpu/finding/finding_value.h"

static bool is_letter(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

// The scalar's name in the line, for a variable that is no array.
static const char *find_word(const char *line, int length, const char *name) {
  size_t n = strlen(name);
  for (const char *c = line; n && c + n <= line + length; c++)
    if (!strncmp(c, name, n) && (c == line || !is_letter(c[-1])) &&
        !is_letter(c[n]))
      return c;
  return NULL;
}

// The subject as this party saw it.
static struct finding_subject turn(const struct meeting *m,
                                   const struct gpu_place *place,
                                   struct gpu_finding *f) {
  struct finding_subject own = *m->s;
  *f = *m->s->finding;
  f->at = *place;
  own.finding = f;
  own.scene.source = m->code;
  return own;
}

static void read_use(struct party *p, const struct finding_subject *own) {
  int offset, length = finding_find_use(own, p->line, p->length, &offset);
  const char *word = find_word(p->line, p->length, own->array);
  if (length) {
    p->use = (struct finding_span){p->line + offset, length};
    const char *open = memchr(p->use.text, '[', (size_t)length);
    p->index = (struct finding_span){
        open + 1, (int)(p->use.text + length - 1 - open - 1)};
  } else if (word && word[strlen(own->array)] != '[') {
    p->use = (struct finding_span){word, (int)strlen(own->array)};
  }
  p->at = p->use.length ? p->use.text : p->line + strspn(p->line, " \t");
}

static bool read_party(const struct meeting *m, const struct gpu_place *place,
                       struct party *p) {
  struct gpu_finding f;
  struct finding_subject own = turn(m, place, &f);
  int64_t x;
  *p = (struct party){.place = place, .scene = own.scene};
  p->view = (struct finding_view){.scene = &p->scene, .at = place};
  p->line = finding_line(m->code, place->line);
  if (!p->line)
    return false;
  p->length = (int)strcspn(p->line, "\r\n");
  read_use(p, &own);
  if (p->index.length) {
    finding_collect_names(m->code, p->index, &p->names);
    p->is_known =
        finding_evaluate(&p->view, p->index.text, p->index.length, &x) &&
        m->s->elem_bytes > 0 && x == m->s->index;
  }
  p->count = finding_conditions(m->code, p->at, p->all);
  return p->count >= 0;
}

// ---- Facts ----

const char *const finding_parts[FINDING_PARTS] = {"threadIdx.x", "threadIdx.y",
                                                  "threadIdx.z", "blockIdx.x",
                                                  "blockIdx.y",  "blockIdx.z"};

bool finding_is_of_threads(const struct finding_names *names) {
  for (int i = 0; i < FINDING_PARTS; i++)
    if (finding_has_name(names, finding_parts[i]))
      return true;
  return false;
}

// Does who comes here depend on the thread's number?
static bool is_chosen(const struct meeting *m, const struct party *p) {
  for (int i = 0; i < p->count; i++) {
    struct finding_names names = {0};
    finding_collect_names(m->code, p->all[i].text, &names);
    if (finding_is_of_threads(&names))
      return true;
  }
  return false;
}

// Do both stand in a branch or a loop that not every thread of the block takes
// the same way?
static bool is_branch_common(const struct meeting *m) {
  for (int i = 0; i < m->one.count; i++) {
    struct finding_names names = {0};
    bool is_common = false;
    for (int k = 0; k < m->two.count; k++)
      is_common |= m->one.all[i].statement == m->two.all[k].statement;
    finding_collect_names(m->code, m->one.all[i].text, &names);
    if (is_common && (finding_is_of_threads(&names) || names.loads) &&
        m->one.all[i].clause != FINDING_LEFT)
      return true;
  }
  return false;
}

// In the two branches of one if?
static bool is_either_or(const struct meeting *m) {
  for (int i = 0; i < m->one.count; i++)
    for (int k = 0; k < m->two.count; k++)
      if (m->one.all[i].statement == m->two.all[k].statement &&
          m->one.all[i].clause != m->two.all[k].clause)
        return true;
  return false;
}

const struct finding_condition *finding_common_loop(const struct meeting *m) {
  for (int i = m->one.count; i-- > 0;)
    for (int k = 0; k < m->two.count; k++)
      if (m->one.all[i].clause == FINDING_LOOP &&
          m->one.all[i].statement == m->two.all[k].statement)
        return &m->one.all[i];
  return NULL;
}

bool finding_has_text(const char *from, const char *end, const char *text) {
  size_t n = strlen(text);
  for (const char *c = from; c + n <= end; c++)
    if (!strncmp(c, text, n))
      return true;
  return false;
}

static bool has_any(const char *from, const char *end,
                    const char *const words[], size_t count) {
  for (size_t i = 0; i < count; i++)
    if (finding_has_text(from, end, words[i]))
      return true;
  return false;
}

// A thread's number in its block.
static uint32_t number_of(const struct meeting *m, const struct gpu_place *p) {
  const uint32_t *b = m->s->scene.block;
  return p->thread[0] + b[0] * (p->thread[1] + b[1] * p->thread[2]);
}

// Words with "sync" in them that order nothing between the two: shuffles and
// votes, and __syncwarp() for threads of two warps.
static bool is_no_order(const struct meeting *m, const char *word) {
  static const char *const none[] = {"__shfl", "__ballot", "__any_",
                                     "__all_", "__match",  "__reduce"};
  bool is_one_warp =
      number_of(m, m->one.place) / 32 == number_of(m, m->two.place) / 32;
  for (size_t i = 0; i < sizeof none / sizeof *none; i++)
    if (str_starts(word, none[i]))
      return true;
  return str_starts(word, "__syncwarp") && !is_one_warp;
}

// Something between the two that orders threads, as far as words tell.
static bool has_order(const struct meeting *m, const char *from,
                      const char *end) {
  static const char *const words[] = {"sync", "bar.", "barrier", "wait",
                                      "arrive"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    for (const char *c = from; c + strlen(words[i]) <= end; c++) {
      const char *word = c;
      while (word > m->code && is_letter(word[-1]))
        word--;
      if (str_starts(c, words[i]) && !is_no_order(m, word))
        return true;
    }
  return false;
}

// Does the code order threads by what a barrier is not?
static bool has_protocol(const char *code) {
  static const char *const words[] = {"volatile",    "__threadfence",
                                      "atomicCAS",   "atomicExch",
                                      "cuda::",      "grid.sync",
                                      "this_grid",   "asm",
                                      "memcpy_async"};
  return has_any(code, code + strlen(code), words,
                 sizeof words / sizeof *words);
}

// ---- Sentences ----

void finding_add_span(struct str *out, struct finding_span t) {
  for (int i = 0; i < t.length; i++)
    if (!isspace((unsigned char)t.text[i]) ||
        (i && !isspace((unsigned char)t.text[i - 1])))
      str_add_char(out, isspace((unsigned char)t.text[i]) ? ' ' : t.text[i]);
}

// ---- Causes ----

static void add_barrier(struct str *out) {
  str_add(out, "__syncthreads(), where every thread of the block comes by.");
}

static int line_of(const char *code, const char *at) {
  int line = 1;
  for (const char *c = code; c < at; c++)
    line += *c == '\n';
  return line;
}

static bool add_rounds(struct str *out, const struct meeting *m,
                       const struct finding_condition *loop) {
  str_addf(out,
           "A barrier is missing between the rounds of the loop on line %d: ",
           line_of(m->code, loop->statement));
  add_barrier(out);
  return true;
}

// A cell that every thread of the block writes is no matter of barriers.
static bool is_shared_out(const struct meeting *m, const struct party *p) {
  return p->place->access == GPU_READ || finding_is_of_threads(&p->names) ||
         is_chosen(m, p) || p->place->access == GPU_ATOMIC;
}

// Two lines, in this order, and nothing between them.
static bool explain_barrier(struct str *out, const struct meeting *m) {
  const struct party *a = &m->one, *b = &m->two;
  const char *from = a->line + a->length;
  const struct finding_condition *loop = finding_common_loop(m);
  bool is_global = m->s->finding->space != GPU_SPACE_SHARED;
  const uint32_t *g = m->s->scene.grid;
  if (!m->is_same_block || m->is_same_line || is_branch_common(m) ||
      is_either_or(m) ||
      finding_has_text(m->code, m->code + strlen(m->code), "async") ||
      finding_has_text(m->code, m->code + strlen(m->code), "volatile") ||
      (is_global && (uint64_t)g[0] * g[1] * g[2] != 1) ||
      !is_shared_out(m, a) || !is_shared_out(m, b))
    return false;
  if (has_order(m, from, b->line + b->length)) {
    bool is_round = loop && !has_order(m, b->line + b->length, loop->end) &&
                    !has_order(m, loop->statement, a->line + a->length);
    return is_round && add_rounds(out, m, loop);
  }
  str_addf(out,
           "A barrier is missing between line %d and line %d: ", a->place->line,
           b->place->line);
  add_barrier(out);
  return true;
}

// ---- One line that reads what other threads write ----

// The last name of the index that has no one value: a loop's variable.
static struct finding_span find_free(const struct party *p,
                                     struct finding_span in, int depth) {
  struct finding_span name;
  int64_t x;
  while (depth < 8 && (name = finding_next_name(&in)).length) {
    if (name.text[name.length] == '(' || // a function's
        finding_evaluate(&p->view, name.text, name.length, &x))
      continue;
    struct finding_span value = finding_value_of(p->scene.source, name);
    return value.length ? find_free(p, value, depth + 1) : name;
  }
  return (struct finding_span){0};
}

// The cell of the party's use, which may have several brackets.
static bool read_cell(const struct meeting *m, const struct party *p,
                      const struct finding_view *v, int64_t *out) {
  struct finding_subject own = *m->s;
  own.scene = p->scene;
  return finding_evaluate(v, p->index.text, p->index.length, out) ||
         finding_read_index(&own, v, p->use, out);
}

// Do all conditions hold for the party, as far as is known?
static bool may_come(const struct party *p, const struct finding_view *v) {
  for (int i = 0; i < p->count; i++) {
    bool is_negated =
        p->all[i].clause == FINDING_ELSE || p->all[i].clause == FINDING_LEFT;
    int64_t x;
    if (finding_evaluate(v, p->all[i].text.text, p->all[i].text.length, &x) &&
        (x == 0) != is_negated)
      return false;
  }
  return true;
}

// Can the two meet in one round of the loop, with one value of its variable?
// 1 yes, 0 no, -1: nobody knows.
static int meet_in_round(const struct meeting *m) {
  enum { TRIED = 4096 };
  struct finding_view a = m->one.view, b = m->two.view;
  struct finding_span name = find_free(&m->one, m->one.index, 0);
  name = name.length ? name : find_free(&m->two, m->two.index, 0);
  if (!name.length || !m->one.index.length || !m->two.index.length)
    return -1;
  a.known = b.known = name.text;
  a.known_length = b.known_length = name.length;
  bool was_possible = false;
  for (int64_t v = 0; v < TRIED; v++) {
    int64_t x, y;
    a.value = b.value = v;
    if (!read_cell(m, &m->one, &a, &x) || !read_cell(m, &m->two, &b, &y))
      return -1;
    bool is_one = x == m->s->index && may_come(&m->one, &a);
    bool is_two = y == m->s->index && may_come(&m->two, &b);
    was_possible |= is_one || is_two;
    if (is_one && is_two)
      return 1;
  }
  return was_possible ? 0 : -1;
}

// Which of the line's uses each party made: what is written stands before "=".
static bool find_sides(struct meeting *m, const struct party *reads) {
  const struct party *writes = reads == &m->one ? &m->two : &m->one;
  return reads->index.length && writes->index.length &&
         !finding_are_equal(reads->index, writes->index);
}

// The conditions of loops that are the same for all threads: in some round each
// holds. Bits by their numbers.
static uint64_t find_common_loops(const struct meeting *m,
                                  const struct party *p) {
  uint64_t loops = 0;
  _Static_assert(FINDING_CONDITIONS <= 64, "each has a bit");
  for (int i = 0; i < p->count; i++) {
    struct finding_names names = {0};
    finding_collect_names(m->code, p->all[i].text, &names);
    if (p->all[i].clause == FINDING_LOOP && !finding_is_of_threads(&names) &&
        !names.loads)
      loops |= (uint64_t)1 << i;
  }
  return loops;
}

// 1 where all conditions but those of `passed` are known to hold, 0 where one does
// not, else -1.
static int comes(const struct party *p, const struct finding_view *v,
                 uint64_t passed) {
  int all = 1;
  for (int i = 0; i < p->count; i++) {
    if (passed >> i & 1)
      continue;
    bool is_negated =
        p->all[i].clause == FINDING_ELSE || p->all[i].clause == FINDING_LEFT;
    int64_t x;
    if (!finding_evaluate(v, p->all[i].text.text, p->all[i].text.length, &x))
      all = -1;
    else if ((x == 0) != is_negated)
      return 0;
  }
  return all;
}

// Do all threads of the party's warp come to its place, and no others?
static bool is_of_one_warp(const struct meeting *m, const struct party *p) {
  uint64_t passed = find_common_loops(m, p);
  const uint32_t *b = p->scene.block;
  struct gpu_place place = *p->place;
  uint32_t first = place.thread[0] / 32 * 32;
  if (b[1] > 1 || b[2] > 1 || first + 32 > b[0])
    return false;
  for (uint32_t k = 0; k < b[0]; k++) {
    struct finding_view v = p->view;
    place.thread[0] = k;
    v.at = &place;
    if (comes(p, &v, passed) != (k / 32 == first / 32))
      return false;
  }
  return true;
}

// The condition on threads around the line, within its loop: there no barrier
// of the block may stand. NULL: there is none.
static const struct finding_condition *
find_own_branch(const struct meeting *m, const struct finding_condition *loop) {
  for (int i = 0; i < m->one.count; i++) {
    const struct finding_condition *c = &m->one.all[i];
    struct finding_names names = {0};
    finding_collect_names(m->code, c->text, &names);
    if (c->clause == FINDING_IF && finding_is_of_threads(&names) &&
        (!loop || c->statement > loop->statement))
      return c;
  }
  return NULL;
}

// What orders a line's reads before its writes.
static void add_one_line(struct str *out, const struct meeting *m,
                         const struct finding_condition *loop) {
  const struct finding_condition *branch = find_own_branch(m, loop);
  int line = m->one.place->line;
  bool is_same_warp =
      m->one.place->thread[0] / 32 == m->two.place->thread[0] / 32;
  str_addf(out, "Line %d reads cells that other threads write in the same step",
           line);
  if (!branch)
    str_add(out, ": read into a variable, then __syncthreads(), then write.");
  else if (is_same_warp && is_of_one_warp(m, &m->one) &&
           is_of_one_warp(m, &m->two))
    str_add(out, ", and the threads of a warp need not run in step: read into "
                 "a variable, then __syncwarp(), then write, then "
                 "__syncwarp().");
  else
    str_addf(out,
             ", and %.*s holds for both: read into a variable, then "
             "__syncthreads(), then write, with that barrier outside of the "
             "branch; or, in a tree, where a cell that is read has to rest, "
             "let it hold for one of the two alone.",
             branch->text.length, branch->text.text);
}

static bool explain_one_line(struct str *out, struct meeting *m) {
  const struct party *reads =
      m->one.place->access == GPU_READ ? &m->one : &m->two;
  const struct finding_condition *loop = finding_common_loop(m);
  bool is_shared = m->s->finding->space == GPU_SPACE_SHARED;
  if (!m->is_same_block || !m->is_same_line || !is_shared ||
      reads->place->access != GPU_READ || !find_sides(m, reads))
    return false;
  bool is_branch_of_rounds = false;
  for (int i = 0; loop && i < m->one.count; i++) {
    struct finding_names names = {0};
    finding_collect_names(m->code, m->one.all[i].text, &names);
    is_branch_of_rounds |= m->one.all[i].clause != FINDING_LEFT &&
                           m->one.all[i].statement <= loop->statement &&
                           finding_is_of_threads(&names);
  }
  int meets = loop ? meet_in_round(m) : 1;
  if (meets == 0 && !is_branch_of_rounds &&
      !has_order(m, loop->statement, loop->end))
    return add_rounds(out, m, loop);
  if (meets != 1 || is_branch_of_rounds)
    return false;
  add_one_line(out, m, loop);
  return true;
}

// Does the thread of `reads`, too, come to the line that writes, with this cell?
// Then the two do the same work twice, and no barrier mends that.
static bool explain_twice(struct str *out, const struct meeting *m) {
  enum { TRIED = 4096 };
  bool is_first = m->one.place->access == GPU_WRITE;
  const struct party *writes = is_first ? &m->one : &m->two;
  const struct party *reads = is_first ? &m->two : &m->one;
  struct finding_span name = find_free(writes, writes->index, 0);
  struct finding_view a = writes->view, b = writes->view;
  if (!m->is_same_block || writes->place->access != GPU_WRITE ||
      reads->place->access != GPU_READ || !name.length ||
      finding_common_loop(m) == NULL)
    return false;
  a.known = b.known = name.text;
  a.known_length = b.known_length = name.length;
  b.at = reads->place;
  for (int64_t v = 1; v < TRIED; v++) {
    int64_t x, y;
    a.value = b.value = v;
    if (!read_cell(m, writes, &a, &x) || !read_cell(m, writes, &b, &y))
      return false;
    if (x != m->s->index || y != m->s->index || !may_come(writes, &a) ||
        !may_come(writes, &b))
      continue;
    str_addf(out,
             "Both threads come to line %d with this cell, and do the same "
             "work on it at the same time. Let one of the two do it.",
             writes->place->line);
    return true;
  }
  return false;
}

// Cells of another block: nothing inside of the kernel orders the two.
static bool explain_blocks(struct str *out, const struct meeting *m) {
  bool is_global = m->s->finding->space == GPU_SPACE_GLOBAL;
  int access = m->one.place->access | m->two.place->access << 4;
  bool is_use = access != (GPU_WRITE | GPU_WRITE << 4);
  bool is_atomic =
      m->one.place->access == GPU_ATOMIC || m->two.place->access == GPU_ATOMIC;
  if (m->is_same_block || !is_global || !is_use || has_protocol(m->code) ||
      (m->one.index.length && !is_atomic &&
       finding_are_equal(m->one.index, m->two.index)) ||
      finding_is_update(&m->one) || finding_is_update(&m->two))
    return false;
  if (m->s->scene.is_cooperative && m->one.place->access == GPU_WRITE &&
      !m->is_same_line) {
    str_addf(out,
             "__syncthreads() is for the threads of one block. The launch is "
             "cooperative: cooperative_groups::this_grid().sync() between line "
             "%d and line %d waits for all blocks.",
             m->one.place->line, m->two.place->line);
    return true;
  }
  str_addf(out, "No barrier orders two blocks: %s",
           m->one.place->access == GPU_READ
               ? "write to another array."
               : "let one launch write the cells and the next one use them.");
  return true;
}

// Old values that other threads of the grid write over.
static bool explain_in_place(struct str *out, const struct meeting *m) {
  const uint32_t *g = m->s->scene.grid;
  bool is_old =
      m->one.place->access == GPU_READ && m->two.place->access == GPU_WRITE;
  bool is_grid = (uint64_t)g[0] * g[1] * g[2] > 1;
  if (!m->is_same_block || m->is_same_line || !is_old || !is_grid ||
      m->s->finding->space != GPU_SPACE_GLOBAL || has_protocol(m->code) ||
      !finding_is_of_threads(&m->one.names) ||
      !finding_is_of_threads(&m->two.names) ||
      finding_are_equal(m->one.index, m->two.index))
    return false;
  str_addf(out,
           "Line %d reads old values, line %d writes over those of other "
           "threads, and no barrier orders the %llu blocks: write to another "
           "array.",
           m->one.place->line, m->two.place->line,
           (unsigned long long)g[0] * g[1] * g[2]);
  return true;
}

// ---- One warp ----

// Lines that a whole warp runs, in a branch where other warps do not come.
static bool explain_warp(struct str *out, const struct meeting *m) {
  const struct party *a = &m->one, *b = &m->two;
  const struct finding_condition *loop = finding_common_loop(m);
  bool is_same_warp = a->place->thread[0] / 32 == b->place->thread[0] / 32;
  if (!m->is_same_block || m->is_same_line || !is_same_warp ||
      m->s->finding->space != GPU_SPACE_SHARED || has_protocol(m->code) ||
      has_order(m, a->line + a->length, b->line) || !is_of_one_warp(m, a) ||
      !is_of_one_warp(m, b))
    return false;
  str_addf(
      out,
      "The threads of a warp need not run in step: __syncwarp() is missing "
      "between line %d and line %d",
      a->place->line, b->place->line);
  if (loop && !has_order(m, b->line + b->length, loop->end))
    str_addf(out, ", and behind line %d, before the loop comes round",
             b->place->line);
  str_add(out, ".");
  return true;
}

// ---- All ----

static bool explain(struct str *out, struct meeting *m) {
  const struct gpu_finding *f = m->s->finding;
  bool is_first = f->at.line <= f->other.line;
  m->is_same_line = f->at.line == f->other.line;
  m->is_same_block = !memcmp(f->at.block, f->other.block, sizeof f->at.block);
  if (!read_party(m, is_first ? &f->at : &f->other, &m->one) ||
      !read_party(m, is_first ? &f->other : &f->at, &m->two))
    return false;
  if (f->severity != GPU_ERROR)
    return finding_explain_step(out, m) || finding_explain_index(out, m) ||
           finding_explain_cell(out, m); // that they met at all
  return finding_explain_step(out, m) || finding_explain_update(out, m) ||
         finding_explain_copy(out, m) || finding_explain_pending(out, m) ||
         finding_explain_signal(out, m) || finding_explain_look(out, m) ||
         finding_explain_index(out, m) || explain_one_line(out, m) ||
         explain_twice(out, m) || explain_barrier(out, m) ||
         explain_blocks(out, m) || explain_in_place(out, m) ||
         explain_warp(out, m) || finding_explain_cell(out, m);
}

bool finding_explain_race(struct str *out, const struct finding_subject *s) {
  const struct gpu_finding *f = s->finding;
  bool is_memory = f->space == GPU_SPACE_SHARED || f->space == GPU_SPACE_GLOBAL;
  if (!s->scene.source || !is_memory || !s->array[0] ||
      f->other.access == GPU_ACCESS_NONE || f->other.line <= 0 ||
      f->at.line <= 0 ||
      (f->at.access == GPU_ATOMIC && f->other.access == GPU_ATOMIC))
    return false; // two atomics: the device says what is wrong with them
  char *code = finding_own_code(s->scene.source, f->at.line);
  struct meeting m = {.s = s, .code = code};
  bool is_explained = explain(out, &m);
  free(code);
  return is_explained;
}
