// SPDX-License-Identifier: Apache-2.0
// A thread's own arrays and structures, of which the compiler's code has neither
// names nor sizes: as the source declares them.
#include "gpu/finding/finding_local.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/finding/finding.h"
#include "gpu/finding/finding_place.h"
#include "gpu/finding/finding_use.h"
#include "gpu/finding/finding_value.h"

static bool is_letter(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

static bool is_name(const char *at, size_t n, const char *name) {
  return strlen(name) == n && !memcmp(at, name, n);
}

// Characters of the name that begins at `c`; 0: none does.
static int name_length(const char *c) {
  int n = 0;
  if (isdigit((unsigned char)*c))
    return 0;
  while (is_letter(c[n]))
    n++;
  return n;
}

// ---- Which array it is ----

static bool is_local_array(const char *source, const char *end,
                           const char *name, size_t n) {
  char words[FINDING_WORDS];
  return finding_declaration(source, end, name, n, words) &&
         !strstr(words, "__");
}

void finding_find_local(const char *source, const char *line, int length,
                        char *out, size_t bytes) {
  out[0] = 0;
  for (int i = 0, n; i < length; i += n) {
    n = 1;
    if (!is_letter(line[i]))
      continue;
    while (i + n < length && is_letter(line[i + n]))
      n++;
    if (i + n >= length || line[i + n] != '[' || (size_t)n >= bytes ||
        !is_local_array(source, line + length, line + i, (size_t)n) ||
        is_name(line + i, (size_t)n, out))
      continue;
    if (out[0]) {
      out[0] = 0;
      return;
    }
    memcpy(out, line + i, (size_t)n);
    out[n] = 0;
  }
}

// ---- Where it lies ----

// Is one of the source's own structures declared in the text?
static bool has_structure(const char *source, struct finding_span text) {
  static const char *const words[] = {"struct ", "class ", "union "};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    for (const char *c = source; (c = strstr(c, words[i])); c++) {
      struct finding_span rest = text, name,
                          own = {c + strlen(words[i]),
                                 name_length(c + strlen(words[i]))};
      if (c >= text.text && c < text.text + text.length)
        return true;
      while (own.length && (name = finding_next_name(&rest)).length)
        if (finding_are_equal(name, own))
          return true;
    }
  return false;
}

// Is the array the function's only one, and are there no structures?
static bool is_alone(const char *code, int line, const char *name) {
  struct finding_span body = finding_body(code, line);
  if (!body.length || has_structure(code, body))
    return false;
  for (const char *c = body.text; c < body.text + body.length; c++) {
    int n = !is_letter(c[-1]) ? name_length(c) : 0;
    if (n && c[n] == '[' && c[-1] == '.' && is_name(c, (size_t)n, name))
      return false;
    if (n && c[n] == '[' && is_local_array(code, c + n + 1, c, (size_t)n) &&
        !is_name(c, (size_t)n, name))
      return false;
  }
  return true;
}

// The number of elements that it is declared with; 0: nobody knows.
static int64_t count_declared(const struct finding_subject *s,
                              const char *code) {
  size_t n = strlen(s->array);
  char words[FINDING_WORDS];
  struct finding_scene scene = s->scene;
  scene.source = code;
  struct finding_view v = {.scene = &scene, .at = &s->finding->at};
  const char *c =
      finding_declaration(code, code + strlen(code), s->array, n, words);
  int64_t all = c ? 1 : 0, size;
  for (c = c ? c + n : c; all && *c == '['; c++) {
    const char *from = c + 1;
    c = strchr(from, ']');
    if (!c || !finding_evaluate(&v, from, (int)(c - from), &size) || size <= 0)
      return 0;
    all *= size;
  }
  return all;
}

void finding_measure_local(struct finding_subject *s) {
  const struct gpu_finding *f = s->finding;
  if (!s->array[0] || !s->scene.source || !f->base_bytes)
    return;
  char *code = finding_own_code(s->scene.source, f->at.line);
  int bytes = finding_element_bytes(code, code + strlen(code), s->array);
  int64_t count = bytes && is_alone(code, f->at.line, s->array)
                      ? count_declared(s, code)
                      : 0;
  free(code);
  // The compiler makes a multiple of 16 bytes of it, or of its own alignment.
  uint64_t all = (uint64_t)(count * bytes);
  if (!count || f->base_bytes < all || f->base_bytes >= all + 16)
    return;
  s->elem_bytes = bytes;
  s->elems = count;
  s->index = (f->offset - (f->offset < 0 ? bytes - 1 : 0)) / bytes;
}

// ---- Arrays inside of structures ----

struct member {
  struct finding_span name;
  int64_t offset, bytes, count; // of one element; how many
  bool is_array;
};

// "float cells[6]" at `c`, up to its ";" `end`, behind `*offset` bytes.
static bool read_member(const struct finding_view *v, const char *c,
                        const char *end, int64_t *offset, struct member *m) {
  struct finding_span type = {c, name_length(c)};
  c += type.length + strspn(c + type.length, " ");
  *m = (struct member){.name = {c, name_length(c)},
                       .bytes =
                           finding_type_bytes(type.text, (size_t)type.length),
                       .count = 1};
  int64_t align = m->bytes > 16 || m->bytes % 3 == 0 ? 0 : m->bytes;
  c += m->name.length;
  m->is_array = *c == '[';
  if (m->is_array) {
    const char *close = memchr(c, ']', (size_t)(end - c));
    if (!close || !finding_evaluate(v, c + 1, (int)(close - c - 1), &m->count))
      return false;
    c = close + 1;
  }
  c += strspn(c, " ");
  if (!m->name.length || !align || m->count <= 0 || c != end)
    return false;
  m->offset = (*offset + align - 1) / align * align;
  *offset = m->offset + m->bytes * m->count;
  return true;
}

// The member of that name in the structure whose body begins at `c`; false: it
// has none, or has members that are not plain.
static bool find_in(const struct finding_view *v, const char *c,
                    struct finding_span name, struct member *out) {
  int64_t offset = 0;
  bool is_found = false;
  for (;;) {
    c += strspn(c, " \t\r\n");
    if (*c == '}')
      return is_found;
    const char *end = strchr(c, ';');
    struct member m;
    if (!end || !read_member(v, c, end, &offset, &m))
      return false;
    if (finding_are_equal(m.name, name)) {
      *out = m;
      is_found = true;
    }
    c = end + 1;
  }
}

// Of the one structure in the source that has such a member.
static bool find_member(const struct finding_view *v, const char *code,
                        struct finding_span name, struct member *out) {
  int count = 0;
  for (const char *c = code; (c = strstr(c, "struct ")); c++) {
    const char *open = c + strcspn(c, "{;()");
    count += *open == '{' && find_in(v, open + 1, name, out);
  }
  return count == 1;
}

// "a.cells[at]", the line's only use of an array of the variable.
struct member_use {
  struct finding_span all, member, index;
};

static bool find_member_use(const struct finding_subject *s, const char *line,
                            int length, struct member_use *out) {
  size_t n = strlen(s->array);
  int count = 0;
  for (const char *c = line; c + n < line + length; c++) {
    if (strncmp(c, s->array, n) != 0 || (c > line && is_letter(c[-1])) ||
        c[n] != '.')
      continue;
    struct finding_span member = {c + n + 1, name_length(c + n + 1)};
    const char *open = member.text + member.length, *end = open;
    int depth = 0;
    for (; *open == '[' && end < line + length; end++) {
      depth += (*end == '[') - (*end == ']');
      if (!depth)
        break;
    }
    if (*open != '[' || end == line + length)
      continue;
    *out = (struct member_use){
        {c, (int)(end + 1 - c)}, member, {open + 1, (int)(end - open - 1)}};
    count++;
  }
  return count == 1;
}

static bool explain_use(struct str *out, const struct finding_subject *s,
                        const struct finding_view *v,
                        const struct member_use *u) {
  struct member m = {0};
  int64_t index;
  struct finding_span rest = u->index;
  if (!find_member(v, v->scene->source, u->member, &m) || !m.is_array)
    return false;
  int64_t meant = (s->offset - m.offset) / m.bytes;
  bool is_known = finding_evaluate(v, u->index.text, u->index.length, &index);
  if (is_known ? index != meant
               : !finding_are_equal(finding_next_name(&rest), u->index))
    return false;
  if ((s->offset - m.offset) % m.bytes || (meant >= 0 && meant < m.count))
    return false;
  str_addf(
      out,
      "In %.*s the index %.*s is %lld, and %.*s goes from 0 to %lld, as it "
      "is declared.",
      u->all.length, u->all.text, u->index.length, u->index.text,
      (long long)meant, u->member.length, u->member.text,
      (long long)m.count - 1);
  return true;
}

bool finding_explain_member(struct str *out, const struct finding_subject *s) {
  const struct gpu_finding *f = s->finding;
  if (!s->scene.source || !f->variable[0] || f->at.line <= 0)
    return false;
  char *code = finding_own_code(s->scene.source, f->at.line);
  struct finding_scene scene = s->scene;
  scene.source = code;
  struct finding_view v = {.scene = &scene, .at = &f->at};
  struct member_use u = {0};
  const char *line = finding_line(code, f->at.line);
  bool is_explained = line &&
                      find_member_use(s, line, (int)strcspn(line, "\n"), &u) &&
                      explain_use(out, s, &v, &u);
  free(code);
  return is_explained;
}
