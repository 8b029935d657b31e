// SPDX-License-Identifier: Apache-2.0
// Edits of a solution.
//
// Each edit is a text that takes the place of some tokens. What is no program
// then, the compiler rejects: so nothing here needs to know types, and a sign
// that is taken for another costs a compile.
#include "grade/prove/edit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "grade/case/case.h"
#include "grade/prove/branch.h"
#include "grade/prove/edit_make.h"
#include "grade/prove/solution.h"

// ---- Conditions ----

// Always so, never so. A loop that never ends is seen at once, and says nothing
// of the cases.
static void edit_branch(struct edit_maker *m, const struct branch *b) {
  bool may_be_true = b->kind != BRANCH_LOOP && b->kind != BRANCH_OR;
  bool may_be_false = b->kind != BRANCH_AND;
  if (may_be_true)
    edit_add(m, b->first, b->last, "true", NULL);
  if (may_be_false)
    edit_add(m, b->first, b->last, "false", NULL);
}

static void edit_branches(struct edit_maker *m) {
  struct branches all;
  branches_find(&m->tokens, &all);
  for (int i = 0; i < all.count; i++)
    edit_branch(m, &all.list[i]);
  branches_free(&all);
}

// ---- All of them ----

static int compare_places(const void *a, const void *b) {
  const struct edit *x = a, *y = b;
  if (x->offset != y->offset)
    return x->offset < y->offset ? -1 : 1;
  return strcmp(x->id, y->id);
}

static void free_edit(struct edit *edit) {
  free(edit->with);
  free(edit->id);
}

// Of those that make the same text the first stays.
static void drop_doubles(const char *file, struct edits *edits) {
  char **texts = xcalloc((size_t)edits->count + 1, sizeof *texts);
  int kept = 0;
  for (int i = 0; i < edits->count; i++) {
    bool is_new = true;
    texts[kept] = edit_text(file, &edits->list[i]);
    for (int k = 0; k < kept && is_new; k++)
      is_new = strcmp(texts[k], texts[kept]) != 0;
    if (is_new) {
      edits->list[kept++] = edits->list[i];
    } else {
      free(texts[kept]);
      free_edit(&edits->list[i]);
    }
  }
  edits->count = kept;
  for (int k = 0; k < kept; k++)
    free(texts[k]);
  free(texts);
}

static enum err find_sizes(struct exercise *ex, struct edit_maker *m,
                           struct err_info *e) {
  struct seed seed = {0};
  struct case_input in;
  enum err err = exercise_make_case(ex, 0, &seed, &in, e);
  if (err)
    return err;
  memcpy(m->grid, in.grid, sizeof m->grid);
  memcpy(m->block, in.block, sizeof m->block);
  case_input_free(&in);
  return ERR_OK;
}

enum err edits_make(struct exercise *ex, struct edits *out,
                    struct err_info *e) {
  struct edit_maker m = {.out = out};
  *out = (struct edits){0};
  enum err err = ex->kind == EXERCISE_CUDA ? find_sizes(ex, &m, e) : ERR_OK;
  if (err)
    return err;
  solution_read_tokens(ex, &m.tokens);
  for (int i = m.tokens.first; i < m.tokens.end; i++)
    m.tokens.is_lua ? edit_lua(&m, i) : edit_cuda(&m, i);
  edit_branches(&m);
  tokens_free(&m.tokens);
  if (out->count)
    qsort(out->list, (size_t)out->count, sizeof *out->list, compare_places);
  drop_doubles(ex->written, out);
  return ERR_OK;
}

void edits_free(struct edits *edits) {
  for (int i = 0; i < edits->count; i++)
    free_edit(&edits->list[i]);
  free(edits->list);
  *edits = (struct edits){0};
}

char *edit_text(const char *file, const struct edit *edit) {
  return xasprintf("%.*s%s%s", (int)edit->offset, file, edit->with,
                   file + edit->offset + edit->bytes);
}
