// SPDX-License-Identifier: Apache-2.0
// Where shared variables lie in a block's memory: the module's first, then
// those of functions, then a kernel's own. A function may be defined behind the
// kernels that call it, so that all are placed when the module has been read. A
// kernel that calls no function with shared variables has no room for them.
//
// PTX ISA: "State Spaces", ".shared".
#include "gpu/ptx/ptx_shared.h"

#include <stdlib.h>

#include "base/mem.h"
#include "gpu/ptx/ptx_token.h"

static bool place(struct parser *p, struct ptx_var *v, uint64_t *at) {
  if (v->space != PTX_SHARED || v->is_extern)
    return true;
  *at = (*at + v->align - 1) / v->align * v->align;
  v->offset = *at;
  *at += v->bytes;
  if (*at > UINT32_MAX / 2)
    return fail(p, ERR_NOMEM, "shared variables of more than 2 GiB");
  return true;
}

static bool place_own(struct parser *p, struct ptx_func *f, uint64_t *at) {
  for (int i = 0; i < f->local_count; i++)
    if (!place(p, f->locals[i], at))
      return false;
  f->shared_bytes = (uint32_t)*at;
  return true;
}

static bool has_shared(const struct ptx_func *f) {
  for (int i = 0; i < f->local_count; i++)
    if (f->locals[i]->space == PTX_SHARED && !f->locals[i]->is_extern)
      return true;
  return false;
}

static int number_of(const struct parser *p, const struct ptx_func *f) {
  struct ptx_func **funcs = p->funcs.items;
  int n = 0;
  while (n < p->funcs.count && funcs[n] != f)
    n++;
  return n;
}

// Does it call one with shared variables, itself or through others? A call
// through a register may be of any.
static bool reaches_shared(const struct parser *p, const struct ptx_func *f,
                           bool *seen) {
  for (int n = 0; n < f->code_count; n++) {
    const struct ptx_insn *i = &f->code[n];
    if (i->op != PTX_OP_CALL)
      continue;
    if (!i->callee || has_shared(i->callee))
      return true;
    int k = number_of(p, i->callee);
    if (k == p->funcs.count || seen[k])
      continue;
    seen[k] = true;
    if (reaches_shared(p, i->callee, seen))
      return true;
  }
  return false;
}

static bool place_kernel(struct parser *p, struct ptx_func *f, uint64_t module,
                         uint64_t functions) {
  bool *seen = xcalloc((size_t)p->funcs.count + 1, sizeof *seen);
  bool calls = functions > module && reaches_shared(p, f, seen);
  uint64_t at = calls ? functions : module;
  free(seen);
  return place_own(p, f, &at);
}

bool place_shared(struct parser *p) {
  struct ptx_var **vars = p->vars.items;
  struct ptx_func **funcs = p->funcs.items;
  uint64_t module = 0;
  for (int i = 0; i < p->vars.count; i++)
    if (!place(p, vars[i], &module))
      return false;
  uint64_t functions = module;
  for (int i = 0; i < p->funcs.count; i++)
    if (!funcs[i]->is_entry && !place_own(p, funcs[i], &functions))
      return false;
  for (int i = 0; i < p->funcs.count; i++)
    if (funcs[i]->is_entry && !place_kernel(p, funcs[i], module, functions))
      return false;
  return true;
}
