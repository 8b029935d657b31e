// SPDX-License-Identifier: Apache-2.0
// Arrays that the source uses through a pointer: one that walks along an array,
// one to wider elements, one that malloc() or new gave. As elsewhere: a cause is
// said only where it comes out at the finding's cell.
#include "gpu/finding/finding_pointer.h"

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

static int name_length(const char *c, const char *end) {
  int n = 0;
  while (c + n < end && is_letter(c[n]))
    n++;
  return n && !isdigit((unsigned char)*c) ? n : 0;
}

struct use {
  const struct finding_subject *s;
  struct finding_scene scene; // with the function's own code
  struct finding_view view;
  const char *code, *line;
  int length; // of the line
};

static bool evaluate(const struct use *u, struct finding_span t, int64_t *out) {
  return finding_evaluate(&u->view, t.text, t.length, out);
}

static bool is_array(const struct use *u, struct finding_span t) {
  return finding_is_span(t, u->s->array);
}

// How many elements the array has; -1: unknown.
static int64_t count_elements(const struct finding_subject *s) {
  bool is_variable = s->finding->variable[0] && s->finding->base_bytes;
  return s->elems >= 0 ? s->elems
         : is_variable && s->elem_bytes > 0
             ? (int64_t)s->finding->base_bytes / s->elem_bytes
             : -1;
}

// ---- A pointer that walks ----

// for (T *p = START; CONDITION; p++)
struct walk {
  struct finding_span name, start, condition;
  int64_t from; // of its array's elements, where it starts
};

// "out", "out + 5": false where it is something else.
static bool read_place(const struct use *u, struct finding_span t,
                       int64_t *out) {
  struct finding_span rest = t, name = finding_next_name(&rest);
  *out = 0;
  if (!name.length || name.text != t.text || !is_array(u, name))
    return false;
  struct finding_span after =
      finding_trim(name.text + name.length, t.text + t.length);
  return !after.length ||
         (*after.text == '+' &&
          evaluate(u, finding_trim(after.text + 1, after.text + after.length),
                   out));
}

// "p++" or "++p" behind the condition, and nothing else that changes p.
static bool is_stepped_once(const struct finding_condition *loop,
                            struct finding_span name) {
  const char *from = loop->text.text + loop->text.length;
  int count = 0;
  for (const char *c = from; c + name.length <= loop->end; c++) {
    bool is_own = !memcmp(c, name.text, (size_t)name.length) &&
                  !is_letter(c[-1]) && !is_letter(c[name.length]);
    if (!is_own)
      continue;
    const char *after = c + name.length;
    bool is_step = !strncmp(after, "++", 2) || !strncmp(c - 2, "++", 2);
    if (is_step)
      count++;
    else if (c[-1] == '-' || c[-1] == '&' ||
             (c[-1] != '*' && finding_is_assigned(after)))
      return false;
  }
  return count == 1;
}

static bool read_walk(const struct use *u, const struct finding_condition *loop,
                      struct walk *w) {
  const char *open = strchr(loop->statement, '(');
  if (strncmp(loop->statement, "for", 3) != 0 || !open)
    return false;
  const char *end = memchr(open, ';', (size_t)(loop->text.text - open));
  const char *set = end ? memchr(open, '=', (size_t)(end - open)) : NULL;
  if (!set || !memchr(open, '*', (size_t)(set - open)))
    return false;
  const char *name = set;
  while (name > open && isspace((unsigned char)name[-1]))
    name--;
  const char *name_end = name;
  while (name > open && is_letter(name[-1]))
    name--;
  *w = (struct walk){.name = {name, (int)(name_end - name)},
                     .start = finding_trim(set + 1, end),
                     .condition = loop->text};
  return w->name.length && read_place(u, w->start, &w->from) &&
         is_stepped_once(loop, w->name);
}

// Is "*p" in the line, and no other pointer's?
static bool is_followed(const struct use *u, struct finding_span name) {
  int count = 0;
  for (int i = 0; i + name.length < u->length; i++)
    count += u->line[i] == '*' &&
             !memcmp(u->line + i + 1, name.text, (size_t)name.length) &&
             !is_letter(u->line[i + 1 + name.length]);
  struct finding_span rest = {u->line, u->length}, other;
  while ((other = finding_next_name(&rest)).length)
    if (other.text[other.length] == '[' &&
        (is_array(u, other) || finding_value_of(u->code, other).length))
      return false;
  return count > 0;
}

// "p != end", where end is a place of the array.
static bool find_limit(const struct use *u, const struct walk *w,
                       struct finding_span *name, int64_t *place) {
  struct finding_span rest = w->condition, t;
  while ((t = finding_next_name(&rest)).length) {
    struct finding_span value = finding_value_of(u->code, t);
    if (finding_are_equal(t, w->name) || !value.length)
      continue;
    *name = t;
    return read_place(u, finding_trim(value.text, value.text + value.length),
                      place);
  }
  return false;
}

static bool explain_walk(struct str *out, const struct use *u,
                         const struct walk *w) {
  const struct finding_subject *s = u->s;
  long long index = (long long)s->index, elems = (long long)count_elements(s);
  struct finding_span limit;
  int64_t place;
  if (index < elems || w->from > s->index || elems <= 0)
    return false;
  str_addf(out,
           "%.*s is %s + %lld here, and %s has %lld element%s, the last is "
           "%s[%lld]: the loop goes on while %.*s",
           w->name.length, w->name.text, s->array, index, s->array, elems,
           elems == 1 ? "" : "s", s->array, elems - 1, w->condition.length,
           w->condition.text);
  if (find_limit(u, w, &limit, &place))
    str_addf(out, ", and %.*s is %s + %lld", limit.length, limit.text, s->array,
             (long long)place);
  str_add(out, ".");
  return true;
}

static bool explain_walks(struct str *out, const struct use *u) {
  struct finding_condition all[FINDING_CONDITIONS];
  const char *at = u->line + strspn(u->line, " \t");
  struct walk w;
  if (!strncmp(at, "for", 3)) { // its own bracket's end is in the loop
    int depth = 0;
    for (at = strchr(at, '('); at && *at; at++) {
      depth += (*at == '(') - (*at == ')');
      if (!depth)
        break;
    }
  }
  if (!at || !*at)
    return false;
  int count = finding_conditions(u->code, at, all);
  for (int i = count; i-- > 0;)
    if (all[i].clause == FINDING_LOOP && read_walk(u, &all[i], &w))
      return is_followed(u, w.name) && explain_walk(out, u, &w);
  return false;
}

// ---- Wider elements ----

// The type of the cast that ends before `c`: "(float4 *)", "<const float4 *>(".
static struct finding_span cast_before(const char *line, const char *c) {
  struct finding_span none = {0};
  while (c > line && strchr(" ()", c[-1]))
    c--;
  c -= c > line && c[-1] == '>';
  const char *end = c;
  while (end > line && end[-1] == ' ')
    end--;
  if (end == line || end[-1] != '*')
    return none;
  for (end--; end > line && end[-1] == ' ';)
    end--;
  const char *from = end;
  while (from > line && is_letter(from[-1]))
    from--;
  return finding_trim(from, end);
}

struct wide {
  struct finding_span type, index;
};

// "reinterpret_cast<float4 *>(x)[i]", "((float4 *)x)[i]".
static bool read_cast(const struct use *u, const char *c, size_t n,
                      struct wide *out) {
  const char *end = u->line + u->length, *open = c + n;
  while (open < end && strchr(" )", *open))
    open++;
  const char *close = open < end && *open == '['
                          ? memchr(open, ']', (size_t)(end - open))
                          : NULL;
  *out = (struct wide){.type = cast_before(u->line, c)};
  if (!close || open == c + n || !out->type.length)
    return false;
  out->index = finding_trim(open + 1, close);
  return !memchr(out->index.text, '[', (size_t)out->index.length);
}

// "x4[i]", where x4 got its one value by a cast of the array.
static bool read_other(const struct use *u, struct finding_span name,
                       struct wide *out) {
  const char *open = name.text + name.length;
  const char *close =
      *open == '[' ? memchr(open, ']', (size_t)(u->line + u->length - open))
                   : NULL;
  struct finding_span value = finding_value_of(u->code, name), last = {0};
  if (!close || !value.length)
    return false;
  struct finding_span rest = value;
  for (struct finding_span t; (t = finding_next_name(&rest)).length;)
    last = t;
  if (!last.length || !is_array(u, last))
    return false;
  for (const char *c = last.text + last.length; c < value.text + value.length;
       c++)
    if (!strchr(" )", *c))
      return false;
  out->type = cast_before(value.text, last.text);
  out->index = finding_trim(open + 1, close);
  return out->type.length &&
         !memchr(out->index.text, '[', (size_t)out->index.length);
}

static bool find_wide(const struct use *u, struct wide *out) {
  struct finding_span rest = {u->line, u->length}, name;
  int count = 0;
  while ((name = finding_next_name(&rest)).length) {
    struct wide w;
    bool is_wide = is_array(u, name)
                       ? read_cast(u, name.text, (size_t)name.length, &w)
                       : read_other(u, name, &w);
    if (is_wide && !count++)
      *out = w;
    else if (is_wide && !(finding_are_equal(w.index, out->index) &&
                          finding_are_equal(w.type, out->type)))
      return false;
  }
  return count > 0;
}

static bool explain_wide(struct str *out, const struct use *u) {
  const struct finding_subject *s = u->s;
  int64_t elems = count_elements(s), index, bytes;
  struct wide w;
  if (!find_wide(u, &w) || elems <= 0 || s->index < 0)
    return false;
  bytes = finding_type_bytes(w.type.text, (size_t)w.type.length);
  int64_t each = bytes / s->elem_bytes, meant = each ? s->index / each : 0;
  struct finding_span simple = w.index;
  bool is_known = evaluate(u, w.index, &index);
  if (each < 2 || bytes % s->elem_bytes || s->index % each ||
      s->finding->bytes > bytes ||
      (is_known ? index != meant
                : !finding_are_equal(finding_next_name(&simple), w.index)))
    return false;
  str_addf(
      out,
      "As %.*s the index %.*s, which is %lld in this thread, takes %s[%lld] "
      "to %s[%lld], and %s has %lld elements: ",
      w.type.length, w.type.text, w.index.length, w.index.text,
      (long long)meant, s->array, (long long)s->index, s->array,
      (long long)(s->index + each - 1), s->array, (long long)elems);
  int64_t rest = elems % each;
  str_addf(out, "%lld whole %.*s", (long long)(elems / each), w.type.length,
           w.type.text);
  if (rest)
    str_addf(out, ", and %lld more that want%s code of their own",
             (long long)rest, rest == 1 ? "s" : "");
  str_add(out, ".");
  return true;
}

// ---- A part of an array ----

bool finding_find_part(const struct finding_subject *s, const char *code,
                       const struct finding_view *v, char name[64],
                       int64_t *start) {
  struct use u = {.s = s, .view = *v, .code = code};
  u.line = finding_line(code, s->finding->at.line);
  struct finding_span rest = {u.line, u.line ? (int)strcspn(u.line, "\n") : 0};
  struct finding_span t, found = {0};
  while (u.line && (t = finding_next_name(&rest)).length) {
    if (is_array(&u, t) && t.text[t.length] == '[')
      return false;
    struct finding_span value = finding_value_of(code, t);
    int64_t place;
    if (t.text[t.length] != '[' || finding_are_equal(t, found) ||
        !read_place(&u, finding_trim(value.text, value.text + value.length),
                    &place))
      continue;
    if (found.length || t.length >= 64)
      return false;
    found = t;
    *start = place;
  }
  memcpy(name, found.text ? found.text : "", (size_t)found.length);
  name[found.length] = 0;
  return found.length > 0;
}

// ---- Memory that the kernel took ----

// The bytes of "malloc(BYTES)" or "new T[COUNT]"; 0: nobody knows.
static int64_t taken_bytes(const struct finding_view *v,
                           struct finding_span value) {
  const char *end = value.text + value.length, *c = value.text;
  int64_t n;
  for (; c + 7 < end && strncmp(c, "malloc(", 7) != 0; c++)
    if (!strncmp(c, "new ", 4)) {
      const char *type = c + 4, *open = memchr(c, '[', (size_t)(end - c));
      const char *close = open ? memchr(open, ']', (size_t)(end - open)) : NULL;
      int bytes = finding_type_bytes(type, (size_t)name_length(type, end));
      return close && finding_evaluate(v, open + 1, (int)(close - open - 1), &n)
                 ? n * bytes
                 : 0;
    }
  while (end > c && end[-1] != ')')
    end--;
  return c + 7 < end && finding_evaluate(v, c + 7, (int)(end - 1 - c - 7), &n)
             ? n
             : 0;
}

void finding_name_taken(struct finding_subject *s) {
  const struct gpu_finding *f = s->finding;
  if (!s->scene.source || !f->base || !f->bytes || f->at.line <= 0 ||
      f->base_bytes % f->bytes)
    return;
  char *code = finding_own_code(s->scene.source, f->at.line);
  struct finding_scene scene = s->scene;
  scene.source = code;
  struct finding_view v = {.scene = &scene, .at = &f->at};
  const char *line = finding_line(code, f->at.line);
  struct finding_span rest = {line, line ? (int)strcspn(line, "\n") : 0}, name;
  struct finding_span found = {0};
  int count = 0;
  while (line && (name = finding_next_name(&rest)).length) {
    if (name.text[name.length] != '[' || finding_are_equal(name, found))
      continue;
    found = name;
    count++;
  }
  if (count == 1 && found.length < (int)sizeof s->array &&
      taken_bytes(&v, finding_value_of(code, found)) ==
          (int64_t)f->base_bytes) {
    memcpy(s->array, found.text, (size_t)found.length);
    s->array[found.length] = 0;
    s->elem_bytes = f->bytes;
    s->elems = (int64_t)(f->base_bytes / f->bytes);
    s->index = (f->offset - (f->offset < 0 ? f->bytes - 1 : 0)) / f->bytes;
  }
  free(code);
}

// ---- All ----

bool finding_explain_pointer(struct str *out, const struct finding_subject *s) {
  const struct gpu_finding *f = s->finding;
  if (!s->scene.source || !s->array[0] || s->elem_bytes <= 0 || s->element[0] ||
      f->at.line <= 0)
    return false;
  char *code = finding_own_code(s->scene.source, f->at.line);
  struct use u = {.s = s, .scene = s->scene, .code = code};
  u.scene.source = code;
  u.view = (struct finding_view){.scene = &u.scene, .at = &f->at};
  u.line = finding_line(code, f->at.line);
  u.length = u.line ? (int)strcspn(u.line, "\r\n") : 0;
  bool is_explained =
      u.line && (explain_wide(out, &u) || explain_walks(out, &u));
  free(code);
  return is_explained;
}
