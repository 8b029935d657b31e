// SPDX-License-Identifier: Apache-2.0
// Calls (PTX ISA, "Control Flow Instructions: call"). All arguments and results
// travel in .param variables: for those that a function declares in registers,
// and for what a call names there, the parser makes variables, with what stores
// and loads them.
#include "gpu/ptx/ptx_call.h"

#include <string.h>

#include "gpu/ptx/ptx_check.h"
#include "gpu/ptx/ptx_const.h"
#include "gpu/ptx/ptx_insn.h"
#include "gpu/ptx/ptx_lex.h"
#include "gpu/ptx/ptx_make.h"
#include "gpu/ptx/ptx_token.h"
#include "gpu/ptx/ptx_var.h"

// One argument or result of a call, as written.
struct item {
  struct ptx_var *var;    // a .param variable, or NULL:
  struct ptx_operand reg; // a register, the first of a vector's; or "_"
  int lanes;
  bool is_constant;
  struct ptx_constant constant;
};

struct items {
  struct item at[MAX_CALL_ARGS];
  int count;
};

// ---- A function's own ----

// Memory holds all types as plain bits.
static enum ptx_type bits_type(enum ptx_type t) {
  switch (ptx_type_bytes(t)) {
  case 4: return PTX_B32;
  case 8: return PTX_B64;
  case 16: return PTX_B128;
  default: return PTX_NOTYPE;
  }
}

static struct ptx_operand place(struct ptx_var *v, uint64_t offset) {
  struct ptx_operand o;
  clear_operand(&o);
  o.kind = PTX_ADDRESS;
  o.var = v;
  o.offset = (int64_t)offset;
  return o;
}

static void load(struct parser *p, const struct ptx_insn *like, int reg,
                 struct ptx_var *v, uint64_t offset, enum ptx_type type) {
  struct ptx_operand o[] = {register_operand(reg), place(v, offset)};
  make_insn(p, like, PTX_OP_LD, bits_type(type), o, 2);
}

static void store(struct parser *p, const struct ptx_insn *like,
                  const struct ptx_operand *value, struct ptx_var *v,
                  uint64_t offset, enum ptx_type type) {
  struct ptx_operand o[] = {place(v, offset), *value};
  make_insn(p, like, PTX_OP_ST, bits_type(type), o, 2);
}

static int declare(struct parser *p, const struct ptx_var *v) {
  struct symbol *s = find_symbol(p, v->name, strlen(v->name));
  s->kind = SYMBOL_REGISTER;
  s->reg = new_registers(p, v->type, v->lanes, v->name);
  s->lanes = v->lanes;
  return s->reg;
}

// Where the body begins: parameters come into their registers.
bool take_register_params(struct parser *p, struct ptx_func *f) {
  struct ptx_insn like = {.guard = -1, .ptx_line = p->token.line};
  p->result_regs = region_alloc(p->region, sizeof *p->result_regs *
                                               (size_t)(f->result_count + 1));
  for (int i = 0; i < f->param_count; i++) {
    struct ptx_var *v = f->params[i];
    int reg = v->is_register ? declare(p, v) : 0;
    uint64_t size = (uint64_t)ptx_type_bytes(v->type);
    for (int n = 0; v->is_register && n < v->lanes; n++)
      load(p, &like, reg + n, v, (uint64_t)n * size, v->type);
  }
  for (int i = 0; i < f->result_count; i++)
    p->result_regs[i] =
        f->results[i]->is_register ? declare(p, f->results[i]) : -1;
  return p->registers_left >= 0 ||
         fail(p, ERR_UNSUPPORTED, "more than %d registers", MAX_REGISTERS);
}

// Before a ret: results go from their registers to where the caller looks.
void give_register_results(struct parser *p, const struct ptx_insn *like) {
  struct ptx_func *f = p->func;
  for (int i = 0; i < f->result_count; i++) {
    const struct ptx_var *v = f->results[i];
    uint64_t size = (uint64_t)ptx_type_bytes(v->type);
    for (int n = 0; v->is_register && n < v->lanes; n++) {
      struct ptx_operand value = register_operand(p->result_regs[i] + n);
      store(p, like, &value, f->result, v->offset + (uint64_t)n * size,
            v->type);
    }
  }
}

// ---- What a call names ----

static bool parse_item(struct parser *p, struct item *out) {
  *out = (struct item){.lanes = 1};
  clear_operand(&out->reg);
  if (p->token.kind != TOKEN_WORD || is_word(p, "WARP_SZ")) {
    out->is_constant = true;
    return parse_constant(p, &out->constant);
  }
  if (take_word(p, "_"))
    return true;
  struct symbol *s = find_symbol(p, p->token.text, p->token.bytes);
  if (s && s->kind == SYMBOL_VAR && s->var->space == PTX_PARAM) {
    out->var = s->var;
  } else {
    int reg = find_register(p, &out->lanes);
    if (reg < 0)
      return fail(p, ERR_COMPILE,
                  "a call with \"%.*s\", which is no register and no .param "
                  "variable",
                  shown(p), p->token.text);
    out->reg = register_operand(reg);
  }
  next(p);
  return true;
}

// ( item, ... )
static bool parse_items(struct parser *p, struct items *out) {
  out->count = 0;
  if (!expect_mark(p, '('))
    return false;
  while (!is_mark(p, ')')) {
    if (out->count == MAX_CALL_ARGS)
      return fail(p, ERR_UNSUPPORTED, "a call with more than %d arguments",
                  MAX_CALL_ARGS);
    if (!parse_item(p, &out->at[out->count++]))
      return false;
    if (!take_mark(p, ','))
      break;
  }
  return expect_mark(p, ')');
}

// ---- Into variables ----

static struct ptx_var *make_var(struct parser *p, const struct ptx_var *like) {
  struct ptx_var *v = region_alloc(p->region, sizeof *v);
  *v = *like;
  v->owner = NULL;
  v->is_register = false;
  v->offset = 0;
  *(struct ptx_var **)list_add(&p->locals, sizeof v) = v;
  return v;
}

static bool fits(struct parser *p, const struct item *x,
                 const struct ptx_var *v) {
  enum ptx_type have = PTX_NOTYPE;
  if (x->reg.reg >= 0)
    have = ((uint8_t *)p->reg_types.items)[x->reg.reg];
  bool is_same = !have || (have != PTX_PRED && !is_mixed(have, v->type) &&
                           ptx_type_bytes(have) == ptx_type_bytes(v->type));
  if (is_same && x->lanes == v->lanes && bits_type(v->type) &&
      v->bytes == (uint64_t)ptx_type_bytes(v->type) * v->lanes)
    return true;
  return fail(p, ERR_COMPILE, "a call's argument does not fit %s", v->name);
}

static bool store_argument(struct parser *p, const struct ptx_insn *insn,
                           const struct item *x, const struct ptx_var *param,
                           struct ptx_var **out) {
  struct ptx_var *v = make_var(p, param);
  uint64_t size = (uint64_t)ptx_type_bytes(v->type);
  *out = v;
  if (!x->is_constant && x->reg.reg < 0)
    return fail(p, ERR_COMPILE, "\"_\" as an argument");
  if (!fits(p, x, param))
    return false;
  for (int n = 0; n < x->lanes; n++) {
    struct ptx_operand value = x->reg;
    value.reg += n;
    if (x->is_constant) {
      value.kind = PTX_IMMEDIATE;
      value.reg = -1;
      if (!constant_bits(p, &x->constant, v->type, &value.bits))
        return false;
    }
    store(p, insn, &value, v, (uint64_t)n * size, v->type);
  }
  return true;
}

static bool is_in_param(const struct items *a) {
  for (int i = 0; i < a->count; i++)
    if (!a->at[i].var)
      return false;
  return true;
}

static bool store_arguments(struct parser *p, struct ptx_insn *insn,
                            const struct items *a,
                            const struct ptx_func *callee) {
  insn->call_arg_count = (uint8_t)a->count;
  insn->call_args =
      region_alloc(p->region, (size_t)a->count * sizeof *insn->call_args + 1);
  if (!callee && !is_in_param(a))
    return fail(p, ERR_COMPILE, "a call with registers needs a prototype");
  for (int i = 0; i < a->count; i++) {
    insn->call_args[i] = a->at[i].var;
    if (!a->at[i].var && !store_argument(p, insn, &a->at[i], callee->params[i],
                                         &insn->call_args[i]))
      return false;
  }
  return true;
}

static bool load_results(struct parser *p, const struct ptx_insn *insn,
                         const struct items *r, const struct ptx_func *callee,
                         struct ptx_var *whole) {
  for (int i = 0; i < r->count; i++) {
    const struct ptx_var *v = callee->results[i];
    uint64_t size = (uint64_t)ptx_type_bytes(v->type);
    if (!r->at[i].var && r->at[i].reg.reg < 0 && !r->at[i].is_constant)
      continue; // "_"
    if (r->at[i].var || r->at[i].is_constant)
      return fail(p, ERR_COMPILE,
                  "a call's results are registers or one "
                  ".param variable");
    if (!fits(p, &r->at[i], v))
      return false;
    for (int n = 0; n < v->lanes; n++)
      load(p, insn, r->at[i].reg.reg + n, whole, v->offset + (uint64_t)n * size,
           v->type);
  }
  return true;
}

// The callee: a function, or a register that holds its address.
static bool parse_callee(struct parser *p, struct ptx_insn *insn) {
  struct ptx_operand *o = region_alloc(p->region, sizeof *o);
  clear_operand(o);
  if (p->token.kind != TOKEN_WORD || !parse_word(p, o))
    return fail(p, ERR_COMPILE, "expected a function to call");
  if (o->kind == PTX_SYMBOL && o->func) {
    insn->callee = o->func;
  } else if (o->kind == PTX_REGISTER) {
    insn->operands = o;
    insn->operand_count = 1;
  } else {
    return fail(p, ERR_COMPILE, "this cannot be called");
  }
  return true;
}

// The prototype, or the list of functions, of an indirect call. One that comes
// later is none yet: a call that names only .param variables needs none.
static bool parse_signature(struct parser *p, const struct ptx_func **out) {
  struct symbol *s = p->token.kind == TOKEN_WORD
                         ? find_symbol(p, p->token.text, p->token.bytes)
                         : NULL;
  if (p->token.kind != TOKEN_WORD || (s && s->kind != SYMBOL_PROTOTYPE))
    return unexpected(p, "a prototype");
  *out = s ? s->func : NULL;
  next(p);
  return true;
}

static bool check_callee(struct parser *p, const struct items *results,
                         const struct items *args,
                         const struct ptx_func *callee) {
  if (!callee)
    return true;
  if (callee->is_entry)
    return fail(p, ERR_COMPILE, "a call of the kernel %s", callee->name);
  if (args->count != callee->param_count)
    return fail(p, ERR_COMPILE, "a call with %d arguments: %s has %d",
                args->count, callee->name, callee->param_count);
  if (results->count != callee->result_count)
    return fail(p, ERR_COMPILE, "a call with other results than %s gives",
                callee->name);
  return true;
}

static bool keep_call(struct parser *p, struct ptx_insn *insn,
                      const struct items *results, const struct items *args,
                      const struct ptx_func *callee) {
  if (!check_callee(p, results, args, callee) ||
      !store_arguments(p, insn, args, callee))
    return false;
  if (results->count == 1 && results->at[0].var) {
    insn->call_result = results->at[0].var;
    keep_insn(p, insn);
    return true;
  }
  if (results->count && !callee)
    return fail(p, ERR_COMPILE, "a call with registers needs a prototype");
  if (results->count)
    insn->call_result = make_var(p, callee->result);
  keep_insn(p, insn);
  return load_results(p, insn, results, callee, insn->call_result);
}

// call [(results),] callee [, (arguments)] [, prototype or list] ;
bool parse_call(struct parser *p, struct ptx_insn *insn) {
  struct items results = {.count = 0}, args = {.count = 0};
  const struct ptx_func *signature;
  if (is_mark(p, '(') && (!parse_items(p, &results) || !expect_mark(p, ',')))
    return false;
  if (!parse_callee(p, insn))
    return false;
  signature = insn->callee;
  if (take_mark(p, ',')) {
    if (is_mark(p, '(') && !parse_items(p, &args))
      return false;
    if ((take_mark(p, ',') || !is_mark(p, ';')) &&
        !parse_signature(p, &signature))
      return false;
  }
  return expect_mark(p, ';') && keep_call(p, insn, &results, &args, signature);
}
