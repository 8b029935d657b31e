// SPDX-License-Identifier: Apache-2.0
// Why two threads met in one cell, from facts: the two accesses, what their
// indices are worth to each of the two, the barriers and loops around them.
#include "gpu/finding/finding_race.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

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

static const char *const parts[] = {"threadIdx.x", "threadIdx.y", "threadIdx.z",
                                    "blockIdx.x",  "blockIdx.y",  "blockIdx.z"};
enum { PARTS = 6 };

bool finding_is_of_threads(const struct finding_names *names) {
  for (int i = 0; i < PARTS; i++)
    if (finding_has_name(names, parts[i]))
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

// The innermost loop around both.
static const struct finding_condition *find_loop(const struct meeting *m) {
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

static void add_who(struct str *out, const struct meeting *m,
                    const struct gpu_place *p) {
  if (!m->is_same_block)
    str_addf(out, "block (%u,%u,%u) ", p->block[0], p->block[1], p->block[2]);
  str_addf(out, "thread (%u,%u,%u)", p->thread[0], p->thread[1], p->thread[2]);
}

// In what the two differ and the index does not.
static void add_missing(struct str *out, const struct meeting *m,
                        const struct party *p) {
  const struct gpu_place *a = m->one.place, *b = m->two.place;
  int count = 0;
  for (int i = 0; i < PARTS; i++) {
    bool is_other = i < 3 ? a->thread[i] != b->thread[i]
                          : a->block[i - 3] != b->block[i - 3];
    if (is_other && finding_has_name(&p->names, parts[i]))
      return;
  }
  for (int i = 0; i < PARTS; i++) {
    bool is_other = i < 3 ? a->thread[i] != b->thread[i]
                          : a->block[i - 3] != b->block[i - 3];
    if (is_other)
      str_addf(out, "%s%s", count++ ? " and no " : " There is no ", parts[i]);
  }
  str_add(out, count ? " in it." : "");
}

// A text of those names, for both, with gridDim for blockDim tried.
static void add_other_size(struct str *out, const struct meeting *m,
                           const struct finding_names *names,
                           struct finding_span text) {
  struct finding_scene scene = m->one.scene;
  struct finding_view one = m->one.view, two = m->two.view;
  int64_t x, y;
  if (!finding_has_name(names, "gridDim.x") ||
      finding_has_name(names, "blockDim.x"))
    return;
  scene.grid[0] = scene.block[0];
  one.scene = two.scene = &scene;
  if (finding_evaluate(&one, text.text, text.length, &x) &&
      finding_evaluate(&two, text.text, text.length, &y) && x != y)
    str_addf(out,
             " gridDim.x is the number of blocks, %u; a block has blockDim.x "
             "threads, %u: with that the two differ.",
             m->one.scene.grid[0], m->one.scene.block[0]);
}

// By block, then by thread.
static bool is_before(const struct gpu_place *a, const struct gpu_place *b) {
  for (int i = 3; i-- > 0;)
    if (a->block[i] != b->block[i])
      return a->block[i] < b->block[i];
  for (int i = 3; i-- > 0;)
    if (a->thread[i] != b->thread[i])
      return a->thread[i] < b->thread[i];
  return false;
}

static void add_index(struct str *out, const struct meeting *m,
                      const struct party *p) {
  str_add(out, "Two threads have the same index: ");
  finding_add_span(out, p->index);
  str_addf(out, " is %lld in ", (long long)m->s->index);
  bool is_first = is_before(m->one.place, m->two.place);
  add_who(out, m, is_first ? m->one.place : m->two.place);
  str_addf(out, " and %lld in ", (long long)m->s->index);
  add_who(out, m, is_first ? m->two.place : m->one.place);
  str_add(out, ".");
}

// ---- Causes ----

// The index has the whole x of a thread in it, and nothing of its y: perhaps
// those are to be added up.
static void add_sum(struct str *out, const struct meeting *m) {
  const struct gpu_place *a = m->one.place, *b = m->two.place;
  const struct finding_names *names = &m->one.names;
  bool is_same_x = a->thread[0] == b->thread[0] && a->block[0] == b->block[0];
  bool has_x =
      finding_has_name(names, "threadIdx.x") &&
      (m->s->scene.grid[0] == 1 || finding_has_name(names, "blockIdx.x"));
  if (!is_same_x || !has_x || !finding_is_update(&m->one))
    return;
  str_add(out, " If all of them are to be added up, atomicAdd(&");
  finding_add_span(out, m->one.use);
  str_add(out, ", ...) does it.");
}

// One index, two threads, on one line.
static bool explain_index(struct str *out, const struct meeting *m) {
  const struct party *p = &m->one;
  if (!m->is_same_line || !m->one.is_known || !m->two.is_known ||
      !finding_are_equal(m->one.index, m->two.index) ||
      !finding_is_of_threads(&p->names))
    return false;
  add_index(out, m, p);
  add_missing(out, m, p);
  add_other_size(out, m, &p->names, p->index);
  add_sum(out, m);
  return true;
}

// All write one cell, whose index is the same for everybody.
static bool explain_cell(struct str *out, const struct meeting *m) {
  const struct party *p = &m->one;
  if (!m->is_same_line || m->one.place->access != GPU_WRITE ||
      m->two.place->access != GPU_WRITE || !m->one.is_known ||
      !m->two.is_known || !finding_are_equal(p->index, m->two.index) ||
      finding_is_of_threads(&p->names) || p->names.loads)
    return false;
  str_addf(out, "Several threads write one cell: the index ");
  finding_add_span(out, p->index);
  str_add(out, " is the same for all of them.");
  add_missing(out, m, p);
  return true;
}

// The variable that a loop counts with: for (int i = START; ...; i += STEP).
struct counter {
  struct finding_span name, start, step;
};

// What stands in the loop's bracket from `from` on, up to `stop` or its end.
static const char *find_end(const char *from, char stop) {
  int depth = 0;
  for (; *from && (depth || (*from != stop && *from != ')')); from++)
    depth += (*from == '(') - (*from == ')');
  return from;
}

// "i += STEP", "i++", "++i".
static bool read_step(struct counter *c, const char *from) {
  static const char one[] = "1";
  struct finding_span step = finding_trim(from, find_end(from, ','));
  struct finding_span rest = step, name = finding_next_name(&rest);
  const char *end = step.text + step.length;
  if (!finding_are_equal(name, c->name))
    return false;
  struct finding_span after = finding_trim(name.text + name.length, end);
  bool is_one = (name.text == step.text && finding_is_span(after, "++")) ||
                (!after.length && name.text == step.text + 2 &&
                 !strncmp(step.text, "++", 2));
  c->step = is_one ? (struct finding_span){one, 1}
                   : finding_trim(after.text + 2,
                                  end > after.text + 2 ? end : after.text + 2);
  return is_one || (after.length > 2 && !strncmp(after.text, "+=", 2));
}

static bool read_counter(const struct finding_condition *loop,
                         struct finding_span name, struct counter *c) {
  const char *open = strchr(loop->statement, '(');
  if (strncmp(loop->statement, "for", 3) != 0 || !open)
    return false;
  const char *end = find_end(open + 1, ';'),
             *set = memchr(open, '=', (size_t)(end - open));
  const char *after = find_end(loop->text.text + loop->text.length, ';');
  struct finding_span rest = {open + 1, set ? (int)(set - open - 1) : 0},
                      last = {0};
  for (struct finding_span n; (n = finding_next_name(&rest)).length;)
    last = n;
  *c = (struct counter){.name = name};
  if (!set || *after != ';' || !finding_are_equal(last, name) ||
      memchr(set, ',', (size_t)(end - set)))
    return false;
  c->start = finding_trim(set + 1, end);
  return read_step(c, after + 1);
}

// Of the grid or of the block: a thread's number, and how many there are.
static bool is_number_of(const struct party *p, int64_t start, bool of_grid) {
  const uint32_t *b = p->scene.block;
  uint64_t number =
      p->place->thread[0] + (of_grid ? (uint64_t)p->place->block[0] * b[0] : 0);
  return b[1] <= 1 && b[2] <= 1 && p->scene.grid[1] <= 1 &&
         p->scene.grid[2] <= 1 && start == (int64_t)number;
}

static void add_step(struct str *out, const struct meeting *m,
                     const struct counter *c, const int64_t start[2],
                     int64_t step) {
  const uint32_t *g = m->s->scene.grid, *b = m->s->scene.block;
  uint64_t all = (uint64_t)g[0] * b[0];
  bool is_grid = is_number_of(&m->one, start[0], true) &&
                 is_number_of(&m->two, start[1], true);
  bool is_block = is_number_of(&m->one, start[0], false) &&
                  is_number_of(&m->two, start[1], false) && m->is_same_block;
  bool is_plain =
      finding_is_span(c->step, "blockDim.x") ||
      finding_is_span(finding_value_of(m->code, c->step), " blockDim.x");
  if (is_grid && is_plain && (uint64_t)step < all) {
    str_addf(out,
             " The loop goes on by blockDim.x, one block's threads, and there "
             "are %u blocks: the grid's step is gridDim.x * blockDim.x.",
             g[0]);
    return;
  }
  str_add(out, " The loop goes on by ");
  finding_add_span(out, c->step);
  if (c->step.length != 1 || !isdigit((unsigned char)*c->step.text))
    str_addf(out, ", which is %lld", (long long)step);
  if (is_grid && (uint64_t)step < all)
    str_addf(out,
             ", and the grid has %llu threads: the grid's step is gridDim.x * "
             "blockDim.x",
             (unsigned long long)all);
  else if (is_block && step < (int64_t)b[0])
    str_addf(out,
             ", and the block has %u threads: the block's step is blockDim.x",
             b[0]);
  str_add(out, ".");
}

static void add_start(struct str *out, const struct meeting *m,
                      const struct counter *c, int64_t start) {
  struct finding_names names = {0};
  finding_collect_names(m->code, c->start, &names);
  if (!finding_has_name(&names, "blockIdx.x") &&
      m->one.place->block[0] != m->two.place->block[0]) {
    str_add(out, " The loop begins alike in all blocks: there is no "
                 "blockIdx.x in its start.");
    return;
  }
  str_addf(out, " The loop begins at %lld in both.", (long long)start);
  add_other_size(out, m, &names, c->start);
}

// A loop's variable that comes to one value in two threads.
static bool explain_step(struct str *out, const struct meeting *m) {
  const struct finding_condition *loop = find_loop(m);
  struct finding_span rest = m->one.index, name = finding_next_name(&rest);
  struct counter c;
  int64_t start[2], step;
  if (!m->is_same_line || !loop || !name.length ||
      !finding_are_equal(m->one.index, m->two.index) ||
      !finding_are_equal(name, m->one.index) || !read_counter(loop, name, &c) ||
      !finding_evaluate(&m->one.view, c.start.text, c.start.length,
                        &start[0]) ||
      !finding_evaluate(&m->two.view, c.start.text, c.start.length,
                        &start[1]) ||
      !finding_evaluate(&m->one.view, c.step.text, c.step.length, &step))
    return false;
  for (int i = 0; i < 2; i++)
    if (step <= 0 || m->s->index < start[i] ||
        (m->s->index - start[i]) % step != 0)
      return false;
  add_index(out, m, &m->one);
  if (start[0] == start[1])
    add_start(out, m, &c, start[0]);
  else
    add_step(out, m, &c, start, step);
  return true;
}

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
  const struct finding_condition *loop = find_loop(m);
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
  for (int i = 0; i < p->count && i < 64; i++) {
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
    if (i < 64 && passed >> i & 1)
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
  const struct finding_condition *loop = find_loop(m);
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
      reads->place->access != GPU_READ || !name.length || find_loop(m) == NULL)
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
  const struct finding_condition *loop = find_loop(m);
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

// Of two that write the same value: that they met at all.
static bool explain_same(struct str *out, const struct meeting *m) {
  return explain_step(out, m) || explain_index(out, m) || explain_cell(out, m);
}

static bool explain(struct str *out, struct meeting *m) {
  const struct gpu_finding *f = m->s->finding;
  bool is_first = f->at.line <= f->other.line;
  m->is_same_line = f->at.line == f->other.line;
  m->is_same_block = !memcmp(f->at.block, f->other.block, sizeof f->at.block);
  if (!read_party(m, is_first ? &f->at : &f->other, &m->one) ||
      !read_party(m, is_first ? &f->other : &f->at, &m->two))
    return false;
  if (f->severity != GPU_ERROR)
    return explain_same(out, m);
  return explain_step(out, m) || finding_explain_update(out, m) ||
         finding_explain_copy(out, m) || finding_explain_pending(out, m) ||
         finding_explain_signal(out, m) || finding_explain_look(out, m) ||
         explain_index(out, m) || explain_one_line(out, m) ||
         explain_twice(out, m) || explain_barrier(out, m) ||
         explain_blocks(out, m) || explain_in_place(out, m) ||
         explain_warp(out, m) || explain_cell(out, m);
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
