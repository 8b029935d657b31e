// SPDX-License-Identifier: Apache-2.0
// What a finding is about: the array by its name in the source, the element, the
// line and the column.
#include "gpu/finding/finding_subject.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/finding/finding_local.h"
#include "gpu/finding/finding_pointer.h"
#include "gpu/finding/finding_unset.h"
#include "gpu/finding/finding_use.h"

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

const char *finding_file(const struct gpu_finding *f) {
  return base_name(f->file);
}

// ---- Names ----

bool finding_is_word(char c) {
  return isalnum((unsigned char)c) || c == '_' || (c & 0x80);
}

const char *finding_find_name(const char *at, const char *start,
                              const char *name) {
  size_t n = strlen(name);
  for (; (at = strstr(at, name)); at += n)
    if (!(at > start && finding_is_word(at[-1])) && !finding_is_word(at[n]))
      return at;
  return NULL;
}

// What may follow a name: nothing, or the number of a second one of its kind
// ("_0", "__10_").
static bool is_discriminator(const char *c) {
  size_t bars = strspn(c, "_"), digits = strspn(c + bars, "0123456789");
  const char *end = c + bars + digits;
  return bars == 0
             ? !*c
             : digits && (bars == 1 ? !*end : bars == 2 && !strcmp(end, "_"));
}

// The name that ends the mangled one (Itanium C++ ABI, 5.1): <length> <name>
// behind the function that it is local to (E) or behind its namespaces (N).
void finding_demangle(const char *mangled, char *out, size_t bytes) {
  bool is_nested = str_starts(mangled, "_ZN");
  out[0] = 0;
  if (!str_starts(mangled, "_Z")) {
    snprintf(out, bytes, "%s", mangled);
    return;
  }
  for (const char *p = mangled + 2 + is_nested; *p; p++) {
    if (!isdigit((unsigned char)*p) ||
        !(p == mangled + 2 || is_nested || p[-1] == 'E'))
      continue;
    char *name;
    size_t n = strtoul(p, &name, 10);
    if (n == 0 || n > strlen(name))
      continue;
    bool is_plain = p == mangled + 2 && !is_nested; // a function's own name
    if (is_plain || is_discriminator(name + n) ||
        (is_nested && !strcmp(name + n, "E"))) {
      snprintf(out, bytes, "%.*s", (int)n, name);
      return;
    }
    p = is_nested ? name + n - 1 : p;
  }
}

// "float" of "const float *__restrict__".
static void element_type(const char *declared, char *out, size_t bytes) {
  static const char *const skip[] = {"const", "volatile", "__restrict__",
                                     "restrict", "__restrict"};
  size_t n = 0;
  out[0] = 0;
  for (const char *c = declared; *c;) {
    size_t len = strcspn(c, " *&");
    bool is_skipped = len == 0;
    for (size_t i = 0; i < sizeof skip / sizeof skip[0]; i++)
      is_skipped |= strlen(skip[i]) == len && strncmp(c, skip[i], len) == 0;
    if (!is_skipped && n + len + 2 < bytes)
      n += (size_t)snprintf(out + n, bytes - n, "%s%.*s", n ? " " : "",
                            (int)len, c);
    c += len ? len : 1;
  }
}

// ---- What a finding is about ----

static int64_t round_down(int64_t bytes, int64_t unit) {
  return (bytes - (bytes < 0 ? unit - 1 : 0)) / unit;
}

// An unsigned 32-bit index below 0 comes out 2^32 elements too far; one that far
// and within a few of the wrap is taken for what it was.
static void unwrap(struct finding_subject *s) {
  const int64_t all = (int64_t)1 << 32, near = 1 << 20;
  if (s->elem_bytes <= 0 || s->index >= all || s->index < all - near)
    return;
  s->index -= all;
  s->offset -= all * s->elem_bytes;
}

// The compiler takes small arrays of constant indices apart: "f_$_1" is f[1],
// "m_$_1_$_0" m[1][0]. It does so with a struct's members, too: the source tells
// which it is. Returns how long the name is without that.
static size_t name_part(struct finding_subject *s, const char *variable) {
  static const char mark[] = "_$_";
  const char *parts = strstr(variable, mark);
  size_t all = strlen(variable), used = 0;
  if (!parts)
    return all;
  for (const char *c = parts; str_starts(c, mark);) {
    c += strlen(mark);
    int digits = (int)strspn(c, "0123456789");
    int n = snprintf(s->element + used, sizeof s->element - used, "[%.*s]",
                     digits, c);
    if (!digits || used + (size_t)n >= sizeof s->element)
      s->element[used = 0] = 0;
    else
      used += (size_t)n;
    c += digits;
  }
  return (size_t)(parts - variable);
}

static bool is_of_array(const struct finding_subject *s);
// Bytes of a cell of the named array: as its declaration says, else those of the
// access, but where a member of a structure is used; 0: nobody knows.
static int64_t cell_bytes(const struct finding_subject *s) {
  const char *line;
  int length, bytes;
  size_t n = strlen(s->array);
  if (!finding_source_line(s, s->finding->at.line, &line, &length))
    return s->finding->bytes;
  bytes = finding_element_bytes(s->scene.source, line + length, s->array);
  for (const char *c = line; !bytes && c + n < line + length; c++) {
    if (strncmp(c, s->array, n) != 0 || (c > line && finding_is_word(c[-1])))
      continue;
    const char *after = c + n;
    for (int depth = 0; after < line + length && (*after == '[' || depth);
         after++)
      depth += (*after == '[') - (*after == ']');
    if (*after == '.' || str_starts(after, "->"))
      return 0;
  }
  return bytes ? bytes : (int64_t)s->finding->bytes;
}

// A variable of the module or the block, by its cells.
static void name_variable(struct finding_subject *s) {
  const struct gpu_finding *f = s->finding;
  char whole[sizeof f->variable];
  size_t n = name_part(s, f->variable);
  snprintf(whole, sizeof whole, "%.*s", (int)n, f->variable);
  finding_demangle(whole, s->array, sizeof s->array);
  if (f->variable[n]) {
    if (!is_of_array(s))
      s->element[0] = 0;
    return;
  }
  if (f->base && f->bytes)
    s->elem_bytes = cell_bytes(s);
  if (s->elem_bytes > 0)
    s->index = round_down(f->offset, s->elem_bytes);
  unwrap(s);
}

static void name_parameter(struct finding_subject *s) {
  const struct gpu_finding *f = s->finding;
  const struct finding_scene *c = &s->scene;
  if (c->array)
    snprintf(s->array, sizeof s->array, "%s", c->array);
  element_type(c->declared ? c->declared : "", s->type, sizeof s->type);
  if (!c->array && f->kind == ERR_OUT_OF_BOUNDS)
    finding_name_taken(s);
  if (c->elem_bytes <= 0 || !f->base)
    return;
  s->elem_bytes = c->elem_bytes;
  s->elems = ((int64_t)f->base_bytes - c->start) / s->elem_bytes;
  s->index = round_down(f->offset - c->start, s->elem_bytes);
  unwrap(s);
}

bool finding_source_line(const struct finding_subject *s, int line,
                         const char **start, int *length) {
  const char *c = s->scene.source;
  if (!c || !s->scene.file || line <= 0 ||
      strcmp(finding_file(s->finding), base_name(s->scene.file)) != 0)
    return false;
  for (int i = 1; i < line; i++) {
    c = strchr(c, '\n');
    if (!c++)
      return false;
  }
  *start = c;
  *length = (int)strcspn(c, "\r\n");
  return true;
}

// A thread's own memory has no names without -G: the line's only local array.
static void name_local(struct finding_subject *s) {
  const char *line;
  int length;
  if (s->finding->at.access != GPU_ACCESS_NONE &&
      finding_source_line(s, s->finding->at.line, &line, &length))
    finding_find_local(s->scene.source, line, length, s->array,
                       sizeof s->array);
  finding_measure_local(s);
}

bool finding_is_behind_local(const struct finding_subject *s) {
  return s->finding->kind == ERR_UNINITIALISED &&
         s->finding->space == GPU_SPACE_LOCAL && s->elem_bytes > 0 &&
         s->elems > 0 && s->index >= s->elems;
}

// A register has none either: the line's only number that nothing gave a value.
static void name_register(struct finding_subject *s) {
  const char *line;
  int length;
  struct finding_unset unset;
  if (s->finding->kind == ERR_UNINITIALISED &&
      finding_source_line(s, s->finding->at.line, &line, &length) &&
      finding_find_unset_at(s->scene.source, s->finding->at.line, &unset))
    snprintf(s->array, sizeof s->array, "%s", unset.name);
}

// Is the name an array's in the finding's line?
static bool is_of_array(const struct finding_subject *s) {
  const char *line;
  int length;
  size_t n = strlen(s->array);
  if (!finding_source_line(s, s->finding->at.line, &line, &length))
    return false;
  for (const char *c = line; c + n < line + length; c++)
    if (!strncmp(c, s->array, n) && c[n] == '[' &&
        (c == line || !finding_is_word(c[-1])))
      return true;
  return false;
}

int finding_column(const struct finding_subject *s, int *marks) {
  const struct gpu_place *at = &s->finding->at;
  const char *line;
  int length, offset;
  *marks = 0;
  if (!finding_source_line(s, at->line, &line, &length))
    return at->column;
  *marks = finding_find_use(s, line, length, &offset);
  if (*marks)
    return offset + 1;
  // The compiler's column is that of the whole statement.
  bool is_access = s->finding->bytes && at->access != GPU_ACCESS_NONE;
  *marks = !is_access && at->column > 0 && at->column <= length;
  return at->column;
}

void finding_subject(const struct gpu_finding *f,
                     const struct finding_scene *scene,
                     struct finding_subject *out) {
  int marks;
  memset(out, 0, sizeof *out);
  out->finding = f;
  out->scene = *scene;
  out->elems = -1;
  out->offset = f->offset;
  if (f->variable[0])
    name_variable(out);
  else if (f->space == GPU_SPACE_LOCAL)
    name_local(out);
  else if (f->space == GPU_SPACE_REGISTER)
    name_register(out);
  else if (f->space != GPU_SPACE_SHARED)
    name_parameter(out);
  out->column = finding_column(out, &marks);
}
