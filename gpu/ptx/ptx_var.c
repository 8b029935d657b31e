// SPDX-License-Identifier: Apache-2.0
// Registers and variables with their initialisers (PTX ISA, "State Spaces,
// Types, and Variables").
#include "gpu/ptx/ptx_var.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/ptx/ptx_const.h"
#include "gpu/ptx/ptx_lex.h"
#include "gpu/ptx/ptx_table.h"
#include "gpu/ptx/ptx_token.h"

enum { MAX_NUMBERED = 1 << 12, MAX_LEVELS = 9 };

// Of an array's values: how many stand in the braces of each level. The first is
// 0 where they are as many as are written; the last is that of a vector.
struct shape {
  uint64_t count[MAX_LEVELS];
  int levels;
};

// Is it a type of registers and variables? Others are of instructions alone
// (PTX ISA, "Restricted Use of Sub-Word Sizes", "Alternate Floating-Point Data
// Formats").
static bool is_fundamental(enum ptx_type t) {
  return t <= PTX_F16X2 || t == PTX_F32 || t == PTX_F64;
}

// ---- Registers ----

static void add_registers(struct parser *p, enum ptx_type type, int count,
                          const char *name) {
  for (int i = 0; i < count; i++) {
    *(uint8_t *)list_add(&p->reg_types, 1) = (uint8_t)type;
    *(const char **)list_add(&p->reg_names, sizeof name) = name;
  }
}

int new_registers(struct parser *p, enum ptx_type type, int lanes,
                  const char *name) {
  int first = p->reg_types.count;
  p->registers_left -= lanes;
  add_registers(p, type, lanes, name);
  return first;
}

static bool parse_register(struct parser *p, enum ptx_type type, int lanes) {
  char *name;
  uint64_t count = 1;
  if (!expect_name(p, &name))
    return false;
  bool is_range = take_mark(p, '<');
  if (is_range && (!expect_int(p, &count) || !expect_mark(p, '>')))
    return false;
  if (p->registers_left < 0 || count > (uint64_t)(p->registers_left / lanes))
    return fail(p, ERR_UNSUPPORTED, "more than %d registers", MAX_REGISTERS);
  struct symbol *s =
      add_symbol(p, name, is_range ? SYMBOL_RANGE : SYMBOL_REGISTER);
  s->count = (int)count;
  s->lanes = lanes;
  s->reg = new_registers(p, type, (int)count * lanes, name);
  return true;
}

// May the module declare what has this type?
static bool check_type(struct parser *p, enum ptx_type type) {
  int version = p->module->version_major * 10 + p->module->version_minor;
  return type != PTX_B128 || version >= 83 ||
         fail(p, ERR_COMPILE, ".b128 needs .version 8.3 or later");
}

// .reg [.v2|.v4] .type name [<count>] {, name [<count>]} ;
bool parse_registers(struct parser *p) {
  enum ptx_type type;
  int lanes = 1;
  if (is_word(p, ".v2") || is_word(p, ".v4")) {
    lanes = p->token.text[2] - '0';
    next(p);
  }
  if (p->token.kind != TOKEN_WORD || p->token.text[0] != '.' ||
      !parse_type(p->token.text + 1, p->token.bytes - 1, &type) ||
      !is_fundamental(type))
    return unexpected(p, "a register type");
  if (lanes > 1 && (type == PTX_PRED || lanes * ptx_type_bytes(type) > 16))
    return fail(p, ERR_COMPILE, "a vector of %d registers of type .%s", lanes,
                ptx_type_name(type));
  if (!check_type(p, type))
    return false;
  next(p);
  do {
    if (!parse_register(p, type, lanes))
      return false;
  } while (take_mark(p, ','));
  return expect_mark(p, ';');
}

// ---- Variables ----

uint64_t align_up(uint64_t n, uint32_t align) {
  return align ? (n + align - 1) / align * align : n;
}

bool space_of(const struct parser *p, enum ptx_space *out) {
  static const struct {
    const char *word;
    enum ptx_space space;
  } spaces[] = {{".global", PTX_GLOBAL},
                {".shared", PTX_SHARED},
                {".local", PTX_LOCAL},
                {".const", PTX_CONST},
                {".param", PTX_PARAM}};
  for (unsigned i = 0; i < sizeof spaces / sizeof *spaces; i++)
    if (is_word(p, spaces[i].word)) {
      *out = spaces[i].space;
      return true;
    }
  return false;
}

// [.align n] [.v2|.v4] .type [.ptr [.space] [.align n]] and attributes
bool parse_var_type(struct parser *p, struct ptx_var *v, uint32_t *lanes) {
  uint64_t align = 0, ignored;
  bool is_aligned = false;
  *lanes = 1;
  for (; p->token.kind == TOKEN_WORD && p->token.text[0] == '.';) {
    enum ptx_type type;
    enum ptx_space space;
    if (take_word(p, ".align")) {
      is_aligned |= !v->type;
      if (!expect_int(p, v->type ? &ignored : &align))
        return false;
    } else if (take_word(p, ".attribute")) {
      while (p->token.kind != TOKEN_END && !is_mark(p, ')'))
        next(p);
      next(p);
    } else if (is_word(p, ".v2") || is_word(p, ".v4")) {
      *lanes = p->token.text[2] - '0';
      next(p);
    } else if (take_word(p, ".ptr") || space_of(p, &space)) {
      if (space_of(p, &space))
        next(p);
    } else if (parse_type(p->token.text + 1, p->token.bytes - 1, &type)) {
      v->type = type;
      if (!check_type(p, type))
        return false;
      next(p);
    } else if (is_word(p, ".texref") || is_word(p, ".samplerref") ||
               is_word(p, ".surfref")) {
      return fail(p, ERR_UNSUPPORTED,
                  "a texture or surface reference (%.*s): CUDA 12 took them "
                  "out; pass a cudaTextureObject_t to the kernel",
                  shown(p), p->token.text);
    } else {
      return fail(p, ERR_UNSUPPORTED,
                  "the virtual GPU does not know %.*s in a declaration",
                  shown(p), p->token.text);
    }
  }
  if (!v->type)
    return unexpected(p, "a type");
  if (is_aligned && (!align || align > 4096 || (align & (align - 1))))
    return fail(p, ERR_COMPILE, "an alignment of %llu",
                (unsigned long long)align);
  if (!is_fundamental(v->type) || (v->type == PTX_PRED && !v->is_register))
    return fail(p, ERR_COMPILE, "a variable of type .%s",
                ptx_type_name(v->type));
  if (*lanes > 1 && *lanes * (uint32_t)ptx_type_bytes(v->type) > 16)
    return fail(p, ERR_COMPILE, "a vector of more than 128 bits");
  v->align =
      align ? (uint32_t)align : (uint32_t)ptx_type_bytes(v->type) * *lanes;
  v->lanes = (uint8_t)*lanes;
  return true;
}

// [count], or [] for the first one
static bool parse_dimension(struct parser *p, const struct ptx_var *v,
                            struct shape *s) {
  uint64_t n = 0;
  if (s->levels == MAX_LEVELS - 1)
    return fail(p, ERR_UNSUPPORTED, "the array %s has more than %d dimensions",
                v->name, MAX_LEVELS - 1);
  if (p->token.kind == TOKEN_INT)
    expect_int(p, &n);
  else if (!is_mark(p, ']'))
    return unexpected(p, "a number of elements");
  if (!n && s->levels)
    return fail(p, ERR_COMPILE, "rows of no elements in the array %s", v->name);
  s->count[s->levels++] = n;
  return expect_mark(p, ']');
}

// { [count] } behind a variable's name; a first one that is empty or 0 is an
// extern array, or as long as its values: then v->bytes is what one of its rows
// takes.
static bool parse_dimensions(struct parser *p, struct ptx_var *v,
                             uint32_t lanes, struct shape *s) {
  uint64_t count = 1;
  while (take_mark(p, '[')) {
    if (!parse_dimension(p, v, s))
      return false;
    uint64_t n = s->count[s->levels - 1];
    if (n > (uint64_t)1 << 40 || (n && count > ((uint64_t)1 << 40) / n))
      return fail(p, ERR_NOMEM, "the array %s has more than 2^40 elements",
                  v->name);
    count *= n ? n : 1;
  }
  v->is_array = s->levels;
  v->bytes = count * (uint64_t)ptx_type_bytes(v->type) * lanes;
  if (lanes > 1)
    s->count[s->levels++] = lanes;
  return true;
}

static bool is_unsized(const struct ptx_var *v, const struct shape *s) {
  return v->is_array && !s->count[0];
}

struct init {
  const struct shape *shape;
  uint8_t *bytes; // NULL: values are only counted
  uint64_t at, rows;
  struct list relocs;
};

// symbol | generic(symbol) [+ number]
static bool parse_init_symbol(struct parser *p, struct ptx_var *v,
                              struct init *init) {
  bool is_generic = is_word(p, "generic");
  if (is_generic) {
    next(p);
    if (!expect_mark(p, '('))
      return false;
  }
  if (p->token.kind != TOKEN_WORD)
    return unexpected(p, "a name");
  struct symbol *s = find_symbol(p, p->token.text, p->token.bytes);
  if (!s || (s->kind != SYMBOL_VAR && s->kind != SYMBOL_FUNC))
    return fail(p, ERR_COMPILE, "\"%.*s\" is not declared", shown(p),
                p->token.text);
  if (s->var && s->var->space != PTX_GLOBAL && s->var->space != PTX_CONST)
    return fail(p, ERR_COMPILE,
                "the address of %s, which is not in .global or .const, in %s",
                s->var->name, v->name);
  next(p);
  if (is_generic && !expect_mark(p, ')'))
    return false;
  uint64_t addend = 0;
  if (is_mark(p, '+') || is_mark(p, '-')) {
    take_mark(p, '+');
    if (!parse_integer(p, &addend))
      return false;
  }
  if (ptx_type_bytes(v->type) != 8)
    return fail(p, ERR_UNSUPPORTED, "an address in %s, which is not 64-bit",
                v->name);
  struct ptx_reloc *r = list_add(&init->relocs, sizeof *r);
  *r = (struct ptx_reloc){.at = init->at,
                          .var = s->var,
                          .func = s->func,
                          .addend = (int64_t)addend,
                          .is_generic = is_generic};
  return true;
}

static bool parse_init_number(struct parser *p, struct ptx_var *v,
                              uint64_t *out) {
  struct ptx_constant c;
  if (!parse_constant(p, &c))
    return false;
  if (is_mark(p, '(')) // 0xff(symbol): one byte of its address
    return fail(p, ERR_UNSUPPORTED, "a part of an address in %s", v->name);
  return constant_bits(p, &c, v->type, out);
}

// symbol | number
static bool parse_value(struct parser *p, struct ptx_var *v,
                        struct init *init) {
  uint64_t size = (uint64_t)ptx_type_bytes(v->type), bits = 0;
  bool is_name = p->token.kind == TOKEN_WORD && !is_word(p, "WARP_SZ");
  bool right =
      is_name ? parse_init_symbol(p, v, init) : parse_init_number(p, v, &bits);
  if (right && init->bytes)
    memcpy(init->bytes + init->at, &bits, size < 8 ? size : 8);
  init->at += size;
  return right;
}

// value | { value, ... }. ptxas puts values one behind the other, whatever their
// braces: those of a row that is not full do not begin the next one later. A
// vector is whole.
static bool parse_init(struct parser *p, struct ptx_var *v, struct init *init,
                       int level) {
  const struct shape *s = init->shape;
  if (level == s->levels)
    return parse_value(p, v, init);
  uint64_t most = s->count[level], n = 0;
  bool is_vector = v->lanes > 1 && level == s->levels - 1;
  if (!expect_mark(p, '{'))
    return false;
  while (n || !is_mark(p, '}')) {
    if (most && n == most)
      return fail(p, ERR_COMPILE, "too many values for %s", v->name);
    n++;
    if (!parse_init(p, v, init, level + 1))
      return false;
    if (!take_mark(p, ','))
      break;
  }
  if (is_vector && n < most)
    return fail(p, ERR_COMPILE, "too few values for a vector of %s", v->name);
  if (!level)
    init->rows = n;
  return expect_mark(p, '}');
}

// As long as its values; the text is read again from where it stands.
static bool count_values(struct parser *p, struct ptx_var *v,
                         const struct shape *s) {
  struct lexer lex = p->lex;
  struct token token = p->token;
  struct init init = {.shape = s};
  bool right = parse_init(p, v, &init, 0);
  free(init.relocs.items);
  p->lex = lex;
  p->token = token;
  if (right && init.rows > MAX_INIT_BYTES / v->bytes)
    return fail(p, ERR_NOMEM, "initialised variables of more than %d MiB",
                MAX_INIT_BYTES >> 20);
  v->bytes *= init.rows;
  return right;
}

static bool parse_initialiser(struct parser *p, struct ptx_var *v,
                              const struct shape *s) {
  if (v->space != PTX_GLOBAL && v->space != PTX_CONST)
    return fail(p, ERR_COMPILE,
                "a value for %s: only variables in .global and .const have one",
                v->name);
  bool is_list = is_mark(p, '{');
  if (is_list != (v->is_array || v->lanes > 1))
    return fail(p, ERR_COMPILE, "%s for %s",
                is_list ? "several values" : "one value", v->name);
  if (is_unsized(v, s) && !count_values(p, v, s))
    return false;
  if (!v->bytes)
    return fail(p, ERR_COMPILE, "no value for %s", v->name);
  if (v->bytes > p->bytes_left)
    return fail(p, ERR_NOMEM, "initialised variables of more than %d MiB",
                MAX_INIT_BYTES >> 20);
  p->bytes_left -= v->bytes;
  struct init init = {.shape = s,
                      .bytes = region_alloc(p->region, v->bytes + 1)};
  bool right = parse_init(p, v, &init, 0);
  v->init = init.bytes;
  v->reloc_count = (uint32_t)init.relocs.count;
  v->relocs = list_keep(p, &init.relocs, sizeof *v->relocs);
  return right;
}

bool check_array_size(struct parser *p, const struct ptx_var *v) {
  if (!v->bytes && !v->is_extern)
    return fail(p, ERR_COMPILE, "the array %s has no size", v->name);
  return true;
}

static struct ptx_var *add_var(struct parser *p, const struct ptx_var *like,
                               const char *name) {
  struct ptx_var *v = region_alloc(p->region, sizeof *v);
  *v = *like;
  v->name = name;
  bool is_known = map_get(p->scope->names, name, strlen(name));
  bool is_named = strcmp(name, "_") != 0; // a prototype's parameters are not
  if (is_named && !(like->is_extern && is_known))
    add_symbol(p, name, SYMBOL_VAR)->var = v;
  return v;
}

bool parse_one_var(struct parser *p, const struct ptx_var *like, uint32_t lanes,
                   struct ptx_var **out) {
  char *name;
  struct shape shape = {.levels = 0};
  if (!expect_name(p, &name))
    return false;
  struct ptx_var *v = *out = add_var(p, like, name);
  if (!parse_dimensions(p, v, lanes, &shape))
    return false;
  if (take_mark(p, '='))
    return parse_initialiser(p, v, &shape);
  if (is_unsized(v, &shape))
    v->bytes = 0;
  return true;
}

// Memory of the whole module, also where a function declares it.
static void list_var(struct parser *p, struct ptx_var *v) {
  bool is_own = p->func && v->space != PTX_GLOBAL && v->space != PTX_CONST;
  *(struct ptx_var **)list_add(is_own ? &p->locals : &p->vars, sizeof v) = v;
}

// <count> behind the name: name0, name1 ... The first is there already.
static bool parse_numbered(struct parser *p, const struct ptx_var *like,
                           const char *name) {
  uint64_t count;
  if (!expect_int(p, &count) || !expect_mark(p, '>'))
    return false;
  if (count > MAX_NUMBERED)
    return fail(p, ERR_UNSUPPORTED, "more than %d variables %s", MAX_NUMBERED,
                name);
  for (uint64_t i = 0; i < count; i++) {
    char *each = region_alloc(p->region, strlen(name) + 24);
    sprintf(each, "%s%llu", name, (unsigned long long)i);
    struct ptx_var *v = add_var(p, like, each);
    v->bytes = (uint64_t)ptx_type_bytes(v->type) * v->lanes;
    list_var(p, v);
  }
  return true;
}

static bool is_numbered(struct parser *p) {
  struct lexer ahead = p->lex;
  struct token t;
  lex_next(&ahead, &t);
  return p->token.kind == TOKEN_WORD && t.kind == TOKEN_MARK && t.mark == '<';
}

// .space type name [dims] [= init] {, ...} ;   at module or function scope
bool parse_vars(struct parser *p, bool is_extern) {
  struct ptx_var like = {.is_extern = is_extern};
  uint32_t lanes;
  space_of(p, &like.space);
  if (!p->func && (like.space == PTX_LOCAL || like.space == PTX_PARAM))
    return fail(
        p, ERR_COMPILE,
        "a %.*s variable outside of a function: each call of a function "
        "has its own",
        shown(p), p->token.text);
  next(p);
  if (!parse_var_type(p, &like, &lanes))
    return false;
  do {
    struct ptx_var *v;
    char *name;
    if (is_numbered(p)) {
      if (!expect_name(p, &name) || !take_mark(p, '<') ||
          !parse_numbered(p, &like, name))
        return false;
      continue;
    }
    if (!parse_one_var(p, &like, lanes, &v) || !check_array_size(p, v))
      return false;
    list_var(p, v);
  } while (take_mark(p, ','));
  return expect_mark(p, ';');
}
