// SPDX-License-Identifier: Apache-2.0
// Places: .file and .loc (PTX ISA, "Debugging Directives: .loc").
//
// An instruction that was inlined from a header belongs, for a learner, to the
// line of their own file that called it: the innermost place, following
// inlined_at, whose file is not one of the toolkit's.
#include <string.h>

#include "gpu/ptx/ptx_internal.h"

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
  int number;
  if (!parse_int(p, &number))
    return false;
  if (p->token.kind != TOKEN_STRING)
    return fail(p, ERR_COMPILE, "expected a file's name");
  *(int *)list_add(&p->file_numbers, sizeof(int)) = number;
  *(const char **)list_add(&p->file_names, sizeof(char *)) = token_name(p);
  next(p);
  while (take_mark(p, ','))
    next(p);
  return true;
}

// .loc file line column [, function_name label [+ n], inlined_at file line col]
bool parse_loc(struct parser *p) {
  struct place at = {0};
  if (!parse_int(p, &at.file) || !parse_int(p, &at.line) ||
      !parse_int(p, &at.column))
    return false;
  while (take_mark(p, ',')) {
    if (take_word(p, "inlined_at")) {
      if (!parse_int(p, &at.at_file) || !parse_int(p, &at.at_line) ||
          !parse_int(p, &at.at_column))
        return false;
    } else {
      next(p); // function_name
      next(p); // its label
      if (take_mark(p, '+'))
        next(p);
    }
  }
  if (!at.line) // the compiler's own code: stay at the line before
    return true;
  *(struct place *)list_add(&p->places, sizeof at) = at;
  p->place = p->places.count;
  return true;
}

// The index of a .file number among the module's files, -1 for none.
static int file_index(const struct parser *p, int number) {
  const int *numbers = p->file_numbers.items;
  for (int i = 0; i < p->file_numbers.count; i++)
    if (numbers[i] == number)
      return i;
  return -1;
}

static bool is_own_file(const struct parser *p, int number) {
  const char *const *names = p->file_names.items;
  int i = file_index(p, number);
  return i >= 0 && !strstr(names[i], "/include/") &&
         !strstr(names[i], "/nvrtc/");
}

// The place where an inlined piece was called, itself perhaps inlined: the
// last .loc before it that names just that place.
static int find_caller(const struct parser *p, int inner) {
  const struct place *places = p->places.items, *at = &places[inner];
  for (int i = inner - 1; i >= 0; i--)
    if (places[i].file == at->at_file && places[i].line == at->at_line &&
        places[i].column == at->at_column)
      return i;
  return -1;
}

static struct place innermost_own(const struct parser *p, int index) {
  const struct place *places = p->places.items;
  struct place at = places[index];
  for (int hops = 0; hops < 64; hops++) {
    if (is_own_file(p, at.file) || !at.at_file)
      return at;
    int caller = find_caller(p, index);
    if (is_own_file(p, at.at_file) || caller < 0)
      return (struct place){at.at_file, at.at_line, at.at_column, 0, 0, 0};
    index = caller;
    at = places[index];
  }
  return at;
}

void resolve_places(struct parser *p) {
  struct place *own =
      region_alloc(p->region, (size_t)p->places.count * sizeof *own + 1);
  for (int i = 0; i < p->places.count; i++)
    own[i] = innermost_own(p, i);
  const struct func_places *f = p->func_places.items;
  for (int i = 0; i < p->func_places.count; i++)
    for (int k = 0; k < f[i].func->code_count; k++) {
      struct ptx_insn *insn = &f[i].func->code[k];
      int place = f[i].places[k];
      insn->file = -1;
      if (!place)
        continue;
      insn->line = own[place - 1].line;
      insn->column = own[place - 1].column;
      insn->file = (int16_t)file_index(p, own[place - 1].file);
    }
}
