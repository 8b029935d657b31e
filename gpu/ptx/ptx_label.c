// SPDX-License-Identifier: Apache-2.0
// Labels: each is known in the block that it stands in and in those inside it,
// before and behind its place (PTX ISA, "Labels"; "brx.idx" for .branchtargets).
#include "gpu/ptx/ptx_label.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/ptx/ptx_lex.h"
#include "gpu/ptx/ptx_section.h"
#include "gpu/ptx/ptx_token.h"

void push_labels(struct parser *p) {
  struct label_scope *s = xcalloc(1, sizeof *s);
  s->labels = map_new();
  s->outer = p->labels;
  p->labels = s;
}

static struct label *find_label(struct parser *p, struct label_scope *s,
                                const char *name, size_t n) {
  struct label *l = map_get(s->labels, name, n);
  if (!l) {
    l = region_alloc(p->region, sizeof *l);
    l->target = -1;
    l->first_use_line = p->token.line;
    l->name = region_strndup(p->region, name, n);
    l->next = s->first;
    s->first = l;
    map_set(s->labels, l->name, n, l);
  }
  return l;
}

void pop_labels(struct parser *p) {
  struct label_scope *s = p->labels;
  for (struct label *l = s->first; l && s->outer; l = l->next)
    if (l->target < 0) {
      l->outer = find_label(p, s->outer, l->name, strlen(l->name));
      if (l->outer->first_use_line > l->first_use_line)
        l->outer->first_use_line = l->first_use_line;
    }
  p->labels = s->outer;
  map_free(s->labels);
  free(s);
}

bool parse_label_place(struct parser *p, const struct token *word) {
  struct label *l = find_label(p, p->labels, word->text, word->bytes);
  if (l->target >= 0)
    return fail(p, ERR_COMPILE, "the label %.60s stands twice", l->name);
  l->target = p->insns.count;
  if (p->is_debug)
    note_code_label(p, word->text, word->bytes, l->target);
  return true;
}

static struct label *parse_name(struct parser *p) {
  if (p->token.kind != TOKEN_WORD) {
    unexpected(p, "a label");
    return NULL;
  }
  struct label *l = find_label(p, p->labels, p->token.text, p->token.bytes);
  next(p);
  return l;
}

bool parse_label_use(struct parser *p, int insn, int operand) {
  struct label *l = parse_name(p);
  if (!l)
    return false;
  struct fixup *f = list_add(&p->fixups, sizeof *f);
  f->insn = insn;
  f->operand = operand;
  f->label = l;
  return true;
}

// name: .branchtargets label, ... ;
bool parse_branch_targets(struct parser *p, const char *name) {
  struct list names = {0};
  struct branches *b = region_alloc(p->region, sizeof *b);
  bool right = true;
  do {
    struct label *l = parse_name(p);
    right = l != NULL;
    if (right)
      *(struct label **)list_add(&names, sizeof l) = l;
  } while (right && take_mark(p, ','));
  b->count = names.count;
  b->labels = region_alloc(p->region, sizeof *b->labels * (size_t)b->count + 1);
  b->targets =
      region_alloc(p->region, sizeof *b->targets * (size_t)b->count + 1);
  if (names.count)
    memcpy(b->labels, names.items, sizeof *b->labels * (size_t)b->count);
  free(names.items);
  b->next = p->branches;
  p->branches = b;
  add_symbol(p, name, SYMBOL_BRANCHES)->branches = b;
  return right && expect_mark(p, ';');
}

static bool resolve(struct parser *p, const struct label *l, int32_t *out) {
  while (l->target < 0 && l->outer)
    l = l->outer;
  *out = l->target;
  if (l->target >= 0)
    return true;
  p->token.line = l->first_use_line;
  return fail(p, ERR_COMPILE, "a branch to the label %.60s, which is not there",
              l->name);
}

bool resolve_labels(struct parser *p) {
  struct ptx_insn *code = p->insns.items;
  struct fixup *f = p->fixups.items;
  for (int i = 0; i < p->fixups.count; i++)
    if (!resolve(p, f[i].label, &code[f[i].insn].operands[f[i].operand].target))
      return false;
  for (struct branches *b = p->branches; b; b = b->next)
    for (int i = 0; i < b->count; i++)
      if (!resolve(p, b->labels[i], &b->targets[i]))
        return false;
  return true;
}
