// SPDX-License-Identifier: Apache-2.0
// Modules and functions (PTX ISA, "Directives"). A recursive descent parser:
// every parse_ function stands before a construct and ends behind it, and
// returns false when an error was noted in p->err, from where all wind up.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/ptx/ptx_call.h"
#include "gpu/ptx/ptx_flow.h"
#include "gpu/ptx/ptx_insn.h"
#include "gpu/ptx/ptx_label.h"
#include "gpu/ptx/ptx_lex.h"
#include "gpu/ptx/ptx_line.h"
#include "gpu/ptx/ptx_section.h"
#include "gpu/ptx/ptx_shared.h"
#include "gpu/ptx/ptx_token.h"
#include "gpu/ptx/ptx_var.h"

enum { MAX_BYTES = 64 << 20, MAX_PARAM_BYTES = 1 << 20 };

// ---- Functions ----

// What is declared in registers travels in memory all the same. ptxas: "In ABI
// compilation, passing predicate, 8-bit and 16-bit parameters to device
// functions is not supported".
static bool check_register_param(struct parser *p, const struct ptx_var *v,
                                 bool is_entry) {
  if (is_entry)
    return fail(p, ERR_COMPILE, "a kernel's parameter %s in a register",
                v->name);
  if (v->is_array || v->type == PTX_PRED || ptx_type_bytes(v->type) < 4)
    return fail(p, ERR_UNSUPPORTED,
                "the parameter %s: registers of a function's parameters have "
                "32 bits or more",
                v->name);
  return true;
}

// ( .param type name [dims], .reg type name, ... )
static bool parse_params(struct parser *p, bool is_entry, struct list *out) {
  if (!expect_mark(p, '('))
    return false;
  while (!is_mark(p, ')')) {
    struct ptx_var like = {.space = PTX_PARAM};
    struct ptx_var *v;
    uint32_t lanes;
    like.is_register = take_word(p, ".reg");
    if (!like.is_register && !take_word(p, ".param"))
      return unexpected(p, ".param");
    if (!parse_var_type(p, &like, &lanes) ||
        !parse_one_var(p, &like, lanes, &v) ||
        (v->is_register && !check_register_param(p, v, is_entry)) ||
        (is_entry && !check_array_size(p, v)))
      return false;
    *(struct ptx_var **)list_add(out, sizeof v) = v;
    if (!take_mark(p, ','))
      break;
  }
  return expect_mark(p, ')');
}

static bool place_params(struct parser *p, struct ptx_func *f,
                         struct ptx_var **vars, int count, uint32_t *bytes) {
  uint64_t at = 0;
  for (int i = 0; i < count; i++) {
    at = align_up(at, vars[i]->align);
    vars[i]->offset = at;
    vars[i]->owner = f;
    at += vars[i]->bytes;
    if (at > MAX_PARAM_BYTES)
      return fail(p, ERR_UNSUPPORTED,
                  "%s takes more than %d bytes of parameters", f->name,
                  MAX_PARAM_BYTES);
  }
  *bytes = (uint32_t)at;
  return true;
}

// Several results lie in one variable, which the engine copies as a whole.
static bool place_results(struct parser *p, struct ptx_func *f) {
  uint32_t bytes;
  if (!place_params(p, f, f->results, f->result_count, &bytes))
    return false;
  f->result = f->result_count ? f->results[0] : NULL;
  for (int i = 0; i < f->result_count && f->result_count > 1; i++)
    if (!f->results[i]->is_register)
      return fail(p, ERR_COMPILE, "%s: several results stand in registers",
                  f->name);
  if (!f->result || !f->result->is_register)
    return true;
  f->result = region_alloc(p->region, sizeof *f->result);
  *f->result = *f->results[0];
  f->result->bytes = bytes;
  for (int i = 1; i < f->result_count; i++)
    if (f->results[i]->align > f->result->align)
      f->result->align = f->results[i]->align;
  return true;
}

// Its results and parameters, from their lists.
static bool sign(struct parser *p, struct ptx_func *f, struct list *results,
                 struct list *params) {
  f->result_count = results->count;
  f->results = list_keep(p, results, sizeof *f->results);
  f->param_count = params->count;
  f->params = list_keep(p, params, sizeof *f->params);
  return place_params(p, f, f->params, f->param_count, &f->param_bytes) &&
         place_results(p, f);
}

// Places the function's own variables, .local and call-scope .param ones, in
// its frame; shared ones have their places once all is read (ptx_shared.c).
static bool place_locals(struct parser *p, struct ptx_func *f) {
  uint64_t frame = 0;
  for (int i = 0; i < f->local_count; i++) {
    struct ptx_var *v = f->locals[i];
    if ((v->space != PTX_LOCAL && v->space != PTX_PARAM) || v->is_extern)
      continue;
    frame = align_up(frame, v->align);
    v->offset = frame;
    frame += v->bytes;
    if (frame > UINT32_MAX / 2)
      return fail(p, ERR_NOMEM, "%s needs more than 2 GiB a thread", f->name);
  }
  f->local_bytes = (uint32_t)frame;
  return true;
}

static bool parse_ntid(struct parser *p, struct ptx_func *f) {
  uint64_t n[3] = {0, 1, 1};
  for (int i = 0; i < 3 && (i == 0 || take_mark(p, ',')); i++)
    if (!expect_int(p, &n[i]))
      return false;
  for (int i = 0; i < 3; i++)
    f->max_ntid[i] = n[i] > UINT32_MAX ? UINT32_MAX : (uint32_t)n[i];
  return true;
}

// What says how a kernel is launched.
static bool is_of_launch(const struct parser *p) {
  return is_word(p, ".maxntid") || is_word(p, ".reqntid") ||
         is_word(p, ".minnctapersm") || is_word(p, ".maxnctapersm") ||
         is_word(p, ".maxnreg");
}

// .maxntid 256, 1, 1   .minnctapersm 4   .noreturn   .pragma "..." ;
static bool parse_func_directives(struct parser *p, struct ptx_func *f) {
  uint64_t ignored;
  char which = 0; // of .maxntid and .reqntid
  for (;;) {
    if (!f->is_entry && is_of_launch(p))
      return fail(p, ERR_COMPILE, "%.*s for %s, which is no kernel", shown(p),
                  p->token.text, f->name);
    if (is_word(p, ".maxntid") || is_word(p, ".reqntid")) {
      if (which && which != p->token.text[1])
        return fail(p, ERR_COMPILE, ".maxntid and .reqntid for %s", f->name);
      which = p->token.text[1];
      next(p);
      if (!parse_ntid(p, f))
        return false;
    } else if (take_word(p, ".minnctapersm") || take_word(p, ".maxnctapersm") ||
               take_word(p, ".maxnreg") || take_word(p, ".abi_preserve") ||
               take_word(p, ".abi_preserve_control")) {
      if (!expect_int(p, &ignored))
        return false;
    } else if (take_word(p, ".pragma")) {
      next(p);
      if (!expect_mark(p, ';'))
        return false;
    } else if (!take_word(p, ".noreturn")) {
      return true;
    }
  }
}

static bool parse_block(struct parser *p);

static bool finish_body(struct parser *p, struct ptx_func *f) {
  if (!resolve_labels(p))
    return false;
  // A function that falls off its end returns: one `ret` more says so.
  struct ptx_insn last = {.op = PTX_OP_RET, .guard = -1, .vec = 1};
  give_register_results(p, &last);
  keep_insn(p, &last);
  f->code_count = p->insns.count;
  f->code = list_keep(p, &p->insns, sizeof *f->code);
  f->reg_count = p->reg_types.count;
  f->reg_types = list_keep(p, &p->reg_types, 1);
  f->reg_names = list_keep(p, &p->reg_names, sizeof *f->reg_names);
  f->local_count = p->locals.count;
  f->locals = list_keep(p, &p->locals, sizeof *f->locals);
  struct func_places *places = list_add(&p->func_places, sizeof *places);
  *places = (struct func_places){f, list_keep(p, &p->insn_places, sizeof(int))};
  return place_locals(p, f);
}

static bool parse_body(struct parser *p, struct ptx_func *f) {
  p->func = f;
  p->branches = NULL;
  p->place = 0;
  push_labels(p);
  bool right =
      take_register_params(p, f) && parse_block(p) && finish_body(p, f);
  pop_labels(p);
  p->insns.count = p->insn_places.count = p->fixups.count = 0;
  p->func = NULL;
  if (right)
    find_reconvergence(f);
  return right;
}

// The function of this name: a definition takes the place of a declaration,
// so that calls parsed before see it.
static struct ptx_func *named_func(struct parser *p, const char *name) {
  struct symbol *s = map_get(p->module_scope->names, name, strlen(name));
  if (s && s->kind == SYMBOL_FUNC)
    return s->func;
  struct ptx_func *f = region_alloc(p->region, sizeof *f);
  f->name = name;
  f->module = p->module;
  struct scope *inner = p->scope;
  p->scope = p->module_scope;
  add_symbol(p, name, SYMBOL_FUNC)->func = f;
  p->scope = inner;
  *(struct ptx_func **)list_add(&p->funcs, sizeof f) = f;
  return f;
}

static bool is_same(struct ptx_var **a, int n, const struct list *b) {
  struct ptx_var **other = b->items;
  if (n != b->count)
    return false;
  for (int i = 0; i < n; i++)
    if (a[i]->type != other[i]->type || a[i]->bytes != other[i]->bytes)
      return false;
  return true;
}

// What was declared before is declared, or defined, as the same.
static bool check_again(struct parser *p, const struct ptx_func *f,
                        const struct list *results, const struct list *params,
                        bool is_entry) {
  if (f->code)
    return fail(p, ERR_COMPILE, "%s is defined twice", f->name);
  if (f->params && (f->is_entry != is_entry ||
                    !is_same(f->results, f->result_count, results) ||
                    !is_same(f->params, f->param_count, params)))
    return fail(p, ERR_COMPILE,
                "%s was declared with other results or parameters", f->name);
  return true;
}

// [(result)] name [(params)] directives ( ; | { body } )
static bool parse_func(struct parser *p, bool is_entry, bool is_extern) {
  struct list results = {0}, params = {0};
  char *name = NULL;
  bool right = push_scope(p);
  if (right && !is_entry && is_mark(p, '('))
    right = parse_params(p, false, &results);
  right = right && expect_name(p, &name);
  if (right && is_mark(p, '('))
    right = parse_params(p, is_entry, &params);
  struct ptx_func *f = right ? named_func(p, name) : NULL;
  right = right && check_again(p, f, &results, &params, is_entry);
  if (right) {
    f->is_entry = is_entry;
    f->is_extern = is_extern;
    right = sign(p, f, &results, &params) && parse_func_directives(p, f);
  }
  if (right && !take_mark(p, ';'))
    right = expect_mark(p, '{') && parse_body(p, f);
  free(results.items);
  free(params.items);
  if (p->scope != p->module_scope)
    pop_scope(p);
  return right;
}

// name: .callprototype (result) _ (params) [.noreturn];
// The engine looks at the callee that an address names; the types are for what
// a call names in registers.
static bool parse_prototype(struct parser *p, const char *name) {
  struct ptx_func *f = region_alloc(p->region, sizeof *f);
  struct list results = {0}, params = {0};
  f->name = name;
  add_symbol(p, name, SYMBOL_PROTOTYPE)->func = f;
  bool right = push_scope(p);
  if (right && is_mark(p, '('))
    right = parse_params(p, false, &results);
  right = right && (take_word(p, "_") || unexpected(p, "\"_\""));
  if (right && is_mark(p, '('))
    right = parse_params(p, false, &params);
  right = right && sign(p, f, &results, &params) && parse_func_directives(p, f);
  free(results.items);
  free(params.items);
  pop_scope(p);
  return right && expect_mark(p, ';');
}

// name: .calltargets function, ...; all have the types of the first.
static bool parse_call_targets(struct parser *p, const char *name) {
  struct symbol *own = add_symbol(p, name, SYMBOL_PROTOTYPE);
  do {
    struct symbol *s = p->token.kind == TOKEN_WORD
                           ? find_symbol(p, p->token.text, p->token.bytes)
                           : NULL;
    if (!s || s->kind != SYMBOL_FUNC)
      return unexpected(p, "a function");
    own->func = own->func ? own->func : s->func;
    next(p);
  } while (take_mark(p, ','));
  return expect_mark(p, ';');
}

// name ":" stands before an instruction, a prototype or a list of labels.
static bool parse_label(struct parser *p, const struct token *word) {
  char *name = region_strndup(p->region, word->text, word->bytes);
  next(p); // the colon
  if (take_word(p, ".callprototype"))
    return parse_prototype(p, name);
  if (take_word(p, ".calltargets"))
    return parse_call_targets(p, name);
  if (take_word(p, ".branchtargets"))
    return parse_branch_targets(p, name);
  return parse_label_place(p, word);
}

static bool is_label(struct parser *p) {
  struct lexer ahead = p->lex;
  struct token t;
  if (p->token.kind != TOKEN_WORD)
    return false;
  lex_next(&ahead, &t);
  return t.kind == TOKEN_MARK && t.mark == ':';
}

static bool parse_inner_block(struct parser *p) {
  next(p);
  if (!push_scope(p))
    return false;
  push_labels(p);
  bool right = parse_block(p);
  pop_labels(p);
  if (right)
    pop_scope(p);
  return right;
}

static bool parse_statement(struct parser *p) {
  enum ptx_space space;
  if (is_mark(p, '{'))
    return parse_inner_block(p);
  if (is_label(p)) {
    struct token word = p->token;
    next(p);
    return parse_label(p, &word);
  }
  if (take_word(p, ".reg"))
    return parse_registers(p);
  if (take_word(p, ".loc"))
    return parse_loc(p);
  if (take_word(p, ".pragma"))
    return next(p), expect_mark(p, ';');
  if (space_of(p, &space))
    return parse_vars(p, false);
  return parse_insn(p);
}

// statements up to "}", which is taken
static bool parse_block(struct parser *p) {
  while (!is_mark(p, '}')) {
    if (p->token.kind == TOKEN_END)
      return fail(p, ERR_COMPILE, "the text ends inside a function");
    if (!parse_statement(p))
      return false;
  }
  next(p);
  return true;
}

// ---- Modules ----

// The text need not end in a zero, so numbers inside a word are read from a
// copy of it.
static void copy_token(const struct parser *p, char *out, size_t room) {
  size_t n = p->token.bytes < room ? p->token.bytes : room - 1;
  memcpy(out, p->token.text, n);
  out[n] = 0;
}

// 9.0 is lexed as a number: its text says more.
static bool parse_version(struct parser *p) {
  char text[16];
  copy_token(p, text, sizeof text);
  if (p->token.kind != TOKEN_FLOAT ||
      sscanf(text, "%3d.%3d", &p->module->version_major,
             &p->module->version_minor) != 2)
    return unexpected(p, "a version");
  next(p);
  return true;
}

static bool parse_target(struct parser *p) {
  do {
    char text[16];
    copy_token(p, text, sizeof text);
    if (p->token.kind != TOKEN_WORD)
      return unexpected(p, "a target");
    sscanf(text, "sm_%4d", &p->module->target);
    p->is_debug |= !strcmp(text, "debug");
    next(p);
  } while (take_mark(p, ','));
  return true;
}

// .section name { ... } of line tables, which .loc says better.
static bool skip_section(struct parser *p) {
  while (p->token.kind != TOKEN_END && !is_mark(p, '{'))
    next(p);
  int depth = 0;
  do {
    depth += is_mark(p, '{') - is_mark(p, '}');
    next(p);
  } while (depth && p->token.kind != TOKEN_END);
  return true;
}

static bool skip_to_semicolon(struct parser *p) {
  while (p->token.kind != TOKEN_END && !is_mark(p, ';'))
    next(p);
  return expect_mark(p, ';');
}

static bool parse_directive(struct parser *p) {
  bool is_extern = false;
  uint64_t size;
  enum ptx_space space;
  while (is_word(p, ".visible") || is_word(p, ".weak") ||
         is_word(p, ".extern") || is_word(p, ".common")) {
    is_extern = is_word(p, ".extern");
    next(p);
  }
  if (take_word(p, ".version"))
    return parse_version(p);
  if (take_word(p, ".target"))
    return parse_target(p);
  if (take_word(p, ".address_size")) {
    if (!expect_int(p, &size))
      return false;
    p->module->address_size = (int)size;
    return size == 64 ||
           fail(p, ERR_UNSUPPORTED, "addresses of %d bits", (int)size);
  }
  if (take_word(p, ".entry"))
    return parse_func(p, true, is_extern);
  if (take_word(p, ".func"))
    return parse_func(p, false, is_extern);
  if (take_word(p, ".file"))
    return parse_file(p);
  if (take_word(p, ".loc"))
    return parse_loc(p);
  if (take_word(p, ".section"))
    return p->is_debug ? parse_section(p) : skip_section(p);
  if (take_word(p, ".pragma") || take_word(p, ".alias"))
    return skip_to_semicolon(p);
  if (space_of(p, &space))
    return parse_vars(p, is_extern);
  return fail(p, ERR_UNSUPPORTED, "the virtual GPU does not know \"%.*s\"",
              shown(p), p->token.text);
}

static void parse_module(struct parser *p) {
  next(p);
  while (p->token.kind != TOKEN_END && !p->err) {
    if (!parse_directive(p))
      break;
  }
  if (!p->err && !p->module->version_major)
    fail(p, ERR_COMPILE, "this is not PTX: it has no .version");
  if (!p->err && place_shared(p))
    resolve_places(p);
}

static void keep_lists(struct parser *p) {
  struct ptx_module *m = p->module;
  m->func_count = p->funcs.count;
  m->funcs = list_keep(p, &p->funcs, sizeof *m->funcs);
  m->var_count = p->vars.count;
  m->vars = list_keep(p, &p->vars, sizeof *m->vars);
  m->file_count = p->file_names.count;
  m->files = list_keep(p, &p->file_names, sizeof *m->files);
}

static void free_parser(struct parser *p) {
  while (p->scope)
    pop_scope(p);
  struct list *lists[] = {&p->insns,       &p->fixups,     &p->reg_types,
                          &p->reg_names,   &p->locals,     &p->places,
                          &p->file_names,  &p->funcs,      &p->vars,
                          &p->insn_places, &p->func_places};
  for (unsigned i = 0; i < sizeof lists / sizeof *lists; i++)
    free(lists[i]->items);
  map_free(p->file_of);
  map_free(p->place_of);
  free_sections(p);
}

enum err ptx_parse(const char *text, size_t bytes, struct ptx_module **out,
                   struct err_info *e) {
  struct err_info own;
  e = e ? e : &own;
  *out = NULL;
  if (bytes > MAX_BYTES)
    return err_set(e, ERR_UNSUPPORTED, "PTX of more than %d MiB",
                   MAX_BYTES >> 20);
  struct parser p = {.lex = {text, text + bytes, 1}, .e = e};
  p.bytes_left = MAX_INIT_BYTES;
  p.registers_left = MAX_REGISTERS;
  p.file_of = map_new();
  p.place_of = map_new();
  p.section_labels = map_new();
  p.code_labels = map_new();
  p.region = region_new();
  p.module = region_alloc(p.region, sizeof *p.module);
  p.module->region = p.region;
  p.module->address_size = 64;
  push_scope(&p);
  p.module_scope = p.scope;
  parse_module(&p);
  enum err err = p.err;
  if (!err)
    keep_lists(&p);
  if (!err && p.is_debug)
    read_debug(&p);
  if (err)
    resolve_error(&p);
  free_parser(&p);
  if (err)
    region_free(p.region);
  else
    *out = p.module;
  return err;
}

void ptx_free(struct ptx_module *m) {
  if (m)
    region_free(m->region);
}
