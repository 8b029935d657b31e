// SPDX-License-Identifier: Apache-2.0
// Registers and variables with their initialisers (PTX ISA, "State Spaces,
// Types, and Variables").
#include <string.h>

#include "gpu/ptx/ptx_internal.h"

// ---- Registers ----

static void add_registers(struct parser *p, enum ptx_type type, int count,
                          const char *name) {
  for (int i = 0; i < count; i++) {
    *(uint8_t *)list_add(&p->reg_types, 1) = (uint8_t)type;
    *(const char **)list_add(&p->reg_names, sizeof name) = name;
  }
}

// .reg .type name [<count>] {, name [<count>]} ;
bool parse_registers(struct parser *p) {
  enum ptx_type type;
  if (p->token.kind != TOKEN_WORD || p->token.text[0] != '.' ||
      !parse_type(p->token.text + 1, p->token.bytes - 1, &type))
    return unexpected(p, "a register type");
  next(p);
  do {
    char *name;
    uint64_t count = 1;
    if (!expect_name(p, &name))
      return false;
    bool is_range = take_mark(p, '<');
    if (is_range && (!expect_int(p, &count) || !expect_mark(p, '>')))
      return false;
    if (count > (uint64_t)p->registers_left)
      return fail(p, ERR_UNSUPPORTED, "more than %d registers", MAX_REGISTERS);
    p->registers_left -= (int)count;
    struct symbol *s =
        add_symbol(p, name, is_range ? SYMBOL_RANGE : SYMBOL_REGISTER);
    s->reg = p->reg_types.count;
    s->count = (int)count;
    add_registers(p, type, (int)count, name);
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
  *lanes = 1;
  for (; p->token.kind == TOKEN_WORD && p->token.text[0] == '.';) {
    enum ptx_type type;
    enum ptx_space space;
    if (take_word(p, ".align")) {
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
  if (align > 4096 || (align & (align - 1)))
    return fail(p, ERR_COMPILE, "an alignment of %llu",
                (unsigned long long)align);
  v->align =
      align ? (uint32_t)align : (uint32_t)ptx_type_bytes(v->type) * *lanes;
  return true;
}

// { [count] } behind a variable's name; an empty first one is an extern array.
static bool parse_dimensions(struct parser *p, struct ptx_var *v,
                             uint32_t lanes) {
  uint64_t count = 1;
  while (take_mark(p, '[')) {
    uint64_t n = 0;
    v->is_array = true;
    if (!is_mark(p, ']') && !expect_int(p, &n))
      return false;
    if (!expect_mark(p, ']'))
      return false;
    if (n > (uint64_t)1 << 40 || (n && count > ((uint64_t)1 << 40) / n))
      return fail(p, ERR_NOMEM, "the array %s has more than 2^40 elements",
                  v->name);
    count *= n;
  }
  v->bytes = count * (uint64_t)ptx_type_bytes(v->type) * lanes;
  return true;
}

struct init {
  uint8_t *bytes;
  uint64_t at;
  struct list relocs;
};

static bool parse_init(struct parser *p, struct ptx_var *v, struct init *init,
                       int depth);

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
  next(p);
  if (is_generic && !expect_mark(p, ')'))
    return false;
  uint64_t addend = 0;
  if (is_mark(p, '+') || is_mark(p, '-')) {
    take_mark(p, '+');
    if (!expect_int(p, &addend))
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
  bool minus = take_mark(p, '-');
  uint64_t bits = p->token.bits;
  bool is_f32 = v->type == PTX_F32, is_f64 = v->type == PTX_F64;
  if (p->token.kind == TOKEN_FLOAT) {
    double d;
    float f;
    if (p->token.is_single) {
      uint32_t low = (uint32_t)bits;
      memcpy(&f, &low, sizeof f);
      d = f;
    } else {
      memcpy(&d, &bits, sizeof d);
    }
    d = minus ? -d : d;
    f = (float)d;
    bits = 0;
    memcpy(&bits, is_f64 ? (void *)&d : (void *)&f, is_f64 ? 8 : 4);
    if (!is_f32 && !is_f64)
      return fail(p, ERR_COMPILE, "a floating number in %s, whose type is %s",
                  v->name, ptx_type_name(v->type));
  } else if (p->token.kind == TOKEN_INT) {
    bits = minus ? 0 - bits : bits;
    if (is_f32 || is_f64) {
      double d = (double)(int64_t)bits;
      float f = (float)d;
      bits = 0;
      memcpy(&bits, is_f64 ? (void *)&d : (void *)&f, is_f64 ? 8 : 4);
    }
  } else {
    return unexpected(p, "a number");
  }
  next(p);
  *out = bits;
  return true;
}

// { value, ... } | value
static bool parse_init(struct parser *p, struct ptx_var *v, struct init *init,
                       int depth) {
  if (take_mark(p, '{')) {
    if (depth > 8)
      return fail(p, ERR_COMPILE, "an initialiser nested too deep");
    while (!is_mark(p, '}')) {
      if (!parse_init(p, v, init, depth + 1))
        return false;
      if (!take_mark(p, ','))
        break;
    }
    return expect_mark(p, '}');
  }
  uint64_t size = (uint64_t)ptx_type_bytes(v->type);
  if (init->at + size > v->bytes)
    return fail(p, ERR_COMPILE, "too many values for %s", v->name);
  uint64_t bits = 0;
  bool right = p->token.kind == TOKEN_WORD ? parse_init_symbol(p, v, init)
                                           : parse_init_number(p, v, &bits);
  if (!right)
    return false;
  memcpy(init->bytes + init->at, &bits, size < 8 ? size : 8);
  init->at += size;
  return true;
}

static bool parse_initialiser(struct parser *p, struct ptx_var *v) {
  if (v->bytes > p->bytes_left)
    return fail(p, ERR_NOMEM, "initialised variables of more than %d MiB",
                MAX_INIT_BYTES >> 20);
  p->bytes_left -= v->bytes;
  struct init init = {.bytes = region_alloc(p->region, v->bytes + 1)};
  bool right = parse_init(p, v, &init, 0);
  v->init = init.bytes;
  v->reloc_count = (uint32_t)init.relocs.count;
  v->relocs = list_keep(p, &init.relocs, sizeof *v->relocs);
  return right;
}

// name of a parameterised variable: name<count> declares name0, name1 ...
bool parse_one_var(struct parser *p, const struct ptx_var *like, uint32_t lanes,
                   struct ptx_var **out) {
  struct ptx_var *v = region_alloc(p->region, sizeof *v);
  char *name;
  *v = *like;
  if (!expect_name(p, &name))
    return false;
  v->name = name;
  if (!parse_dimensions(p, v, lanes))
    return false;
  add_symbol(p, name, SYMBOL_VAR)->var = v;
  *out = v;
  return !take_mark(p, '=') || parse_initialiser(p, v);
}

// .space type name [dims] [= init] {, ...} ;   at module or function scope
bool parse_vars(struct parser *p, bool is_extern) {
  struct ptx_var like = {.is_extern = is_extern};
  uint32_t lanes;
  space_of(p, &like.space);
  next(p);
  if (!parse_var_type(p, &like, &lanes))
    return false;
  do {
    struct ptx_var *v;
    if (!parse_one_var(p, &like, lanes, &v))
      return false;
    struct list *l = p->func ? &p->locals : &p->vars;
    *(struct ptx_var **)list_add(l, sizeof v) = v;
  } while (take_mark(p, ','));
  return expect_mark(p, ';');
}
