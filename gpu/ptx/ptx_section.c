// SPDX-License-Identifier: Apache-2.0
// Sections of debugging data as PTX writes them (PTX ISA, "Debugging
// Directives: .section"): bytes, and words that name labels and variables.
//
// A name becomes a 64-bit number that ptx_dwarf.c tells apart again: an
// instruction of a function, a variable, or an offset into a section.
#include "gpu/ptx/ptx_section.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/ptx/ptx_dwarf.h"
#include "gpu/ptx/ptx_lex.h"
#include "gpu/ptx/ptx_line.h"
#include "gpu/ptx/ptx_token.h"

enum { MAX_SECTION_BYTES = 32 << 20, MAX_SECTIONS = 64 };

static struct section *add_section(struct parser *p) {
  struct section *s = region_alloc(p->region, sizeof *s);
  s->next = p->sections;
  p->sections = s;
  return s;
}

static void put(struct section *s, uint64_t value, unsigned width) {
  if (s->count + width > s->capacity) {
    s->capacity = s->capacity ? s->capacity * 2 : 4096;
    s->bytes = xrealloc(s->bytes, s->capacity);
  }
  for (unsigned i = 0; i < width; i++)
    s->bytes[s->count++] = (uint8_t)(value >> 8 * i);
}

static unsigned width_of(const struct parser *p) {
  return is_word(p, ".b8")    ? 1
         : is_word(p, ".b16") ? 2
         : is_word(p, ".b32") ? 4
         : is_word(p, ".b64") ? 8
                              : 0;
}

// name [+ n | - name]
static bool parse_name(struct parser *p, struct section *s, unsigned width) {
  struct section_name *n = region_alloc(p->region, sizeof *n);
  n->at = s->count;
  n->width = width;
  n->name = token_name(p);
  n->next = s->names;
  s->names = n;
  next(p);
  bool minus = is_mark(p, '-');
  if (take_mark(p, '+') || take_mark(p, '-')) {
    if (p->token.kind == TOKEN_INT)
      n->addend = minus ? -(int64_t)p->token.bits : (int64_t)p->token.bits;
    else if (p->token.kind == TOKEN_WORD && minus)
      n->minus = token_name(p);
    next(p);
  }
  put(s, 0, width);
  return true;
}

// value {, value}
static bool parse_values(struct parser *p, struct section *s, unsigned width) {
  do {
    bool minus = take_mark(p, '-');
    if (s->count > MAX_SECTION_BYTES)
      return fail(p, ERR_UNSUPPORTED, "a section of more than %d MiB",
                  MAX_SECTION_BYTES >> 20);
    if (p->token.kind == TOKEN_WORD) {
      if (!parse_name(p, s, width))
        return false;
      continue;
    }
    if (p->token.kind != TOKEN_INT)
      return fail(p, ERR_COMPILE, "expected a value in section %s", s->name);
    put(s, minus ? 0 - p->token.bits : p->token.bits, width);
    next(p);
  } while (take_mark(p, ','));
  return true;
}

// .section name { ( label: | .bN values )* }
bool parse_section(struct parser *p) {
  int count = 0;
  for (const struct section *o = p->sections; o; o = o->next)
    count++;
  if (count == MAX_SECTIONS)
    return fail(p, ERR_UNSUPPORTED, "more than %d sections", MAX_SECTIONS);
  struct section *s = add_section(p);
  s->name = token_name(p);
  next(p);
  if (!expect_mark(p, '{'))
    return false;
  while (p->token.kind != TOKEN_END && !is_mark(p, '}')) {
    unsigned width = width_of(p);
    if (!width && p->token.kind == TOKEN_WORD) {
      struct section_label *l = region_alloc(p->region, sizeof *l);
      l->section = s;
      l->at = s->count;
      map_set(p->section_labels, p->token.text, p->token.bytes, l);
      next(p);
      if (!expect_mark(p, ':'))
        return false;
      continue;
    }
    next(p);
    if (!width || !parse_values(p, s, width))
      return fail(p, ERR_COMPILE, "expected values in section %s", s->name);
  }
  return expect_mark(p, '}');
}

void note_code_label(struct parser *p, const char *name, size_t bytes,
                     int target) {
  struct code_label *l = region_alloc(p->region, sizeof *l);
  l->func = p->func;
  l->target = target;
  map_set(p->code_labels, name, bytes, l);
}

// ---- What the names stand for ----

struct names {
  const struct parser *p;
  struct map *variables; // name to 1 + number in `vars`
  struct map *funcs;     // struct ptx_func pointer to 1 + number
  struct list vars;
};

static void add_variable(struct names *n, struct ptx_var *v) {
  *(struct ptx_var **)list_add(&n->vars, sizeof v) = v;
  map_set(n->variables, v->name, strlen(v->name),
          (void *)(size_t)n->vars.count);
}

static void add_names(struct names *n) {
  const struct ptx_module *m = n->p->module;
  for (int i = 0; i < m->var_count; i++)
    add_variable(n, m->vars[i]);
  for (int i = 0; i < m->func_count; i++) {
    const struct ptx_func *f = m->funcs[i];
    map_set(n->funcs, (const char *)&f, sizeof f, (void *)(size_t)(i + 1));
    for (int k = 0; k < f->param_count; k++)
      add_variable(n, f->params[k]);
    for (int k = 0; k < f->local_count; k++)
      add_variable(n, f->locals[k]);
  }
}

static const struct section *named_section(const struct parser *p,
                                           const char *name) {
  for (const struct section *s = p->sections; s; s = s->next)
    if (!strcmp(s->name, name))
      return s;
  return NULL;
}

static uint64_t meaning(const struct names *names, const char *name) {
  const struct parser *p = names->p;
  size_t n = strlen(name), found;
  const struct code_label *code = map_get(p->code_labels, name, n);
  if (code) {
    found = (size_t)map_get(names->funcs, (const char *)&code->func,
                            sizeof code->func);
    return found ? DWARF_CODE | (uint64_t)(found - 1) << 32 |
                       (uint32_t)code->target
                 : 0;
  }
  const struct section_label *label = map_get(p->section_labels, name, n);
  if (label)
    return label->at;
  found = (size_t)map_get(names->variables, name, n);
  return found ? DWARF_VARIABLE | (found - 1) : 0; // a section's is 0
}

static void resolve_section(const struct names *names, struct section *s) {
  for (const struct section_name *n = s->names; n; n = n->next) {
    uint64_t value = meaning(names, n->name) + (uint64_t)n->addend;
    if (n->minus)
      value -= meaning(names, n->minus);
    for (unsigned i = 0; i < n->width; i++)
      s->bytes[n->at + i] = (uint8_t)(value >> 8 * i);
  }
}

static struct dwarf_bytes bytes_of(const struct parser *p, const char *name) {
  const struct section *s = named_section(p, name);
  return s ? (struct dwarf_bytes){s->bytes, s->count}
           : (struct dwarf_bytes){NULL, 0};
}

void read_debug(struct parser *p) {
  struct names names = {p, map_new(), map_new(), {0}};
  struct list inlined = {0};
  add_names(&names);
  for (struct section *s = p->sections; s; s = s->next)
    resolve_section(&names, s);
  struct dwarf d = {
      .module = p->module,
      .region = p->region,
      .vars = names.vars.items,
      .var_count = (size_t)names.vars.count,
      .info = bytes_of(p, ".debug_info"),
      .abbrev = bytes_of(p, ".debug_abbrev"),
      .str = bytes_of(p, ".debug_str"),
      .loc = bytes_of(p, ".debug_loc"),
      .inlined = &inlined,
  };
  p->module->debug = dwarf_read(&d);
  const struct inlined *at = inlined.items;
  for (int i = 0; i < inlined.count; i++)
    place_inlined(p, &at[i]);
  free(inlined.items);
  map_free(names.variables);
  map_free(names.funcs);
  free(names.vars.items);
}

void free_sections(struct parser *p) {
  for (struct section *s = p->sections; s; s = s->next)
    free(s->bytes);
  map_free(p->section_labels);
  map_free(p->code_labels);
}
