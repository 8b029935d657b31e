// SPDX-License-Identifier: Apache-2.0
// Places: .file and .loc (PTX ISA, "Debugging Directives: .loc").
//
// An instruction that was inlined from a header belongs, for a learner, to the
// line of their own file that called it: the innermost place, following
// inlined_at, whose file is not one of the toolkit's.
#include "gpu/ptx/ptx_line.h"

#include <stdio.h>
#include <string.h>

#include "gpu/ptx/ptx_lex.h"
#include "gpu/ptx/ptx_token.h"

static bool parse_int(struct parser *p, int *out) {
  if (p->token.kind != TOKEN_INT)
    return fail(p, ERR_COMPILE, "expected a number, found \"%.*s\"",
                (int)(p->token.bytes < 60 ? p->token.bytes : 60),
                p->token.text);
  *out = p->token.bits > INT32_MAX ? INT32_MAX : (int)p->token.bits;
  next(p);
  return true;
}

// .file number "name" [, timestamp, size]
bool parse_file(struct parser *p) {
  int number = 0;
  if (!parse_int(p, &number))
    return false;
  if (p->token.kind != TOKEN_STRING)
    return fail(p, ERR_COMPILE, "expected a file's name");
  if (p->file_names.count == INT16_MAX)
    return fail(p, ERR_UNSUPPORTED, "more than %d source files", INT16_MAX);
  // NVRTC puts its working folder before a relative name, and the compile
  // worker's is "/".
  const char *name = token_name(p);
  if (map_get(p->file_of, (const char *)&number, sizeof number))
    return fail(p, ERR_COMPILE, "two files have the number %d", number);
  if (name[0] == '/' && !strchr(name + 1, '/'))
    name++;
  *(const char **)list_add(&p->file_names, sizeof(char *)) = name;
  map_set(p->file_of, (const char *)&number, sizeof number,
          (void *)(size_t)p->file_names.count);
  next(p);
  while (take_mark(p, ','))
    next(p);
  return true;
}

// , function_name label [+ n], inlined_at file line column
static bool parse_inlined(struct parser *p, struct place *at) {
  if (!take_word(p, "function_name"))
    return unexpected(p, "function_name");
  next(p); // its label
  if (take_mark(p, '+'))
    next(p);
  if (!expect_mark(p, ','))
    return false;
  if (!take_word(p, "inlined_at"))
    return unexpected(p, "inlined_at");
  return parse_int(p, &at->at_file) && parse_int(p, &at->at_line) &&
         parse_int(p, &at->at_column);
}

// .loc file line column [, function_name ...]
bool parse_loc(struct parser *p) {
  struct place at = {0};
  if (!parse_int(p, &at.file) || !parse_int(p, &at.line) ||
      !parse_int(p, &at.column) ||
      (take_mark(p, ',') && !parse_inlined(p, &at)))
    return false;
  if (!at.line) // the compiler's own code: stay at the line before
    return true;
  at.caller = (int)(size_t)map_get(
      p->place_of, (const char *)&(int[]){at.at_file, at.at_line, at.at_column},
      sizeof(int[3]));
  if (at.at_line && !at.caller)
    return fail(p, ERR_COMPILE,
                "inlined_at %d %d %d, where no .loc before this one stands",
                at.at_file, at.at_line, at.at_column);
  *(struct place *)list_add(&p->places, sizeof at) = at;
  p->place = p->places.count;
  map_set(p->place_of, (const char *)&(int[]){at.file, at.line, at.column},
          sizeof(int[3]), (void *)(size_t)p->place);
  return true;
}

// The index of a .file number among the module's files, -1 for none.
static int file_index(const struct parser *p, int number) {
  size_t found =
      (size_t)map_get(p->file_of, (const char *)&number, sizeof number);
  return (int)found - 1;
}

bool ptx_is_own_file(const char *name) {
  return !strstr(name, "/include/") && !strstr(name, "/nvrtc/") &&
         !strstr(name, "__nv_nvrtc_builtin_header.h");
}

static bool is_own_file(const struct parser *p, int number) {
  const char *const *kept = p->module->files; // of a module that is whole
  const char *const *names = kept ? kept : p->file_names.items;
  int i = file_index(p, number);
  return i >= 0 && ptx_is_own_file(names[i]);
}

// A caller's .loc stands before those of what was inlined into it, so each
// place finds its caller's answer ready in `own`.
static struct place innermost_own(const struct parser *p,
                                  const struct place *own, int index) {
  const struct place *at = (const struct place *)p->places.items + index;
  if (is_own_file(p, at->file) || !at->at_file)
    return *at;
  if (at->caller && !is_own_file(p, at->at_file))
    return own[at->caller - 1];
  return (struct place){
      .file = at->at_file, .line = at->at_line, .column = at->at_column};
}

static struct place *resolve_all(const struct parser *p) {
  struct place *own =
      region_alloc(p->region, (size_t)p->places.count * sizeof *own + 1);
  for (int i = 0; i < p->places.count; i++)
    own[i] = innermost_own(p, own, i);
  return own;
}

// The files stand behind the functions, so those that are still to come are
// read before the error's place is known.
void resolve_error(struct parser *p) {
  if (!p->error_place)
    return;
  p->err = ERR_OK;
  while (p->token.kind != TOKEN_END)
    if (!take_word(p, ".file"))
      next(p);
    else if (!parse_file(p))
      break;
  struct place at = resolve_all(p)[p->error_place - 1];
  const char *const *names = p->file_names.items;
  int file = file_index(p, at.file);
  p->e->line = at.line;
  p->e->col = at.column;
  if (file >= 0)
    snprintf(p->e->file, sizeof p->e->file, "%s", names[file]);
}

// With -G, what is inlined from a header has no inlined_at. The debugging data
// mostly says who called it (place_inlined); else it is the line before, since
// nothing is moved there.
static void resolve_function(const struct parser *p, const struct place *own,
                             const struct func_places *f) {
  const struct place *last = NULL;
  for (int k = 0; k < f->func->code_count; k++) {
    struct ptx_insn *insn = &f->func->code[k];
    insn->file = -1;
    if (!f->places[k])
      continue;
    const struct place *at = &own[f->places[k] - 1];
    if (is_own_file(p, at->file))
      last = at;
    at = last ? last : at;
    insn->line = at->line;
    insn->column = at->column;
    insn->file = (int16_t)file_index(p, at->file);
  }
}

void resolve_places(struct parser *p) {
  const struct func_places *f = p->func_places.items;
  p->own_places = resolve_all(p);
  for (int i = 0; i < p->func_places.count; i++)
    resolve_function(p, p->own_places, &f[i]);
}

static const struct func_places *places_of(const struct parser *p,
                                           const struct ptx_func *func) {
  const struct func_places *f = p->func_places.items;
  for (int i = 0; i < p->func_places.count; i++)
    if (f[i].func == func)
      return &f[i];
  return NULL;
}

void place_inlined(struct parser *p, const struct inlined *x) {
  const struct func_places *f = places_of(p, x->func);
  if (!f || x->line - 1 >= INT32_MAX || x->file > INT16_MAX ||
      !is_own_file(p, (int)x->file))
    return;
  for (int k = x->from; k < x->to; k++) {
    struct ptx_insn *insn = &f->func->code[k];
    int place = f->places[k];
    if (place && is_own_file(p, p->own_places[place - 1].file))
      continue;
    insn->line = (int)x->line;
    insn->column = 0;
    insn->file = (int16_t)file_index(p, (int)x->file);
  }
}
