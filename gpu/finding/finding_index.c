// SPDX-License-Identifier: Apache-2.0
// Two threads that met in one cell on one line: what makes their indices equal,
// the part of a thread's number that is missing, or a loop's start or step.
#include "gpu/finding/finding_index.h"

#include <ctype.h>
#include <string.h>

#include "gpu/finding/finding_place.h"
#include "gpu/finding/finding_update.h"
#include "gpu/finding/finding_value.h"

// ---- Sentences ----

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
  for (int i = 0; i < FINDING_PARTS; i++) {
    bool is_other = i < 3 ? a->thread[i] != b->thread[i]
                          : a->block[i - 3] != b->block[i - 3];
    if (is_other && finding_has_name(&p->names, finding_parts[i]))
      return;
  }
  for (int i = 0; i < FINDING_PARTS; i++) {
    bool is_other = i < 3 ? a->thread[i] != b->thread[i]
                          : a->block[i - 3] != b->block[i - 3];
    if (is_other)
      str_addf(out, "%s%s", count++ ? " and no " : " There is no ",
               finding_parts[i]);
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

// ---- One line, one index ----

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

bool finding_explain_index(struct str *out, const struct meeting *m) {
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

bool finding_explain_cell(struct str *out, const struct meeting *m) {
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

// ---- A loop's variable ----

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

bool finding_explain_step(struct str *out, const struct meeting *m) {
  const struct finding_condition *loop = finding_common_loop(m);
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
