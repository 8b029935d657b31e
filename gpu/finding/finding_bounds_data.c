// SPDX-License-Identifier: Apache-2.0
// An index that is data.
#include "gpu/finding/finding_bounds.h"

#include <ctype.h>
#include <string.h>

#include "gpu/finding/finding_cause.h"

// Is the array declared with elements of plain or signed char?
static bool is_of_char(const char *code, struct finding_span array) {
  for (const char *c = code; (c = strstr(c, "char")); c++) {
    const char *at = c + 4;
    while (*at == ' ' || *at == '*' || str_starts(at, "const") ||
           str_starts(at, "__restrict__"))
      at += *at == ' ' || *at == '*' ? 1 : *at == 'c' ? 5 : 12;
    bool is_unsigned = c - code >= 9 && str_starts(c - 9, "unsigned ");
    bool is_own = (c == code || !isalnum((unsigned char)c[-1])) &&
                  (c == code || c[-1] != '_');
    if (is_own && !is_unsigned &&
        !strncmp(at, array.text, (size_t)array.length) &&
        !isalnum((unsigned char)at[array.length]) && at[array.length] != '_')
      return true;
  }
  return false;
}

// The whole text is one load: its array's name.
static struct finding_span loaded_array(struct finding_span t) {
  struct finding_span rest = t, name = finding_next_name(&rest);
  int depth = 0;
  if (!name.length || name.text != t.text || name.length >= t.length ||
      t.text[name.length] != '[')
    return (struct finding_span){0};
  for (int i = name.length; i < t.length; i++) {
    depth += (t.text[i] == '[') - (t.text[i] == ']');
    if (!depth && i < t.length - 1)
      return (struct finding_span){0};
  }
  return name;
}

// The one name of the index that is given what a load brought; length 0: none.
static struct finding_span find_loaded(const struct cause *c) {
  struct finding_span rest = c->index, name, found = {0};
  while ((name = finding_next_name(&rest)).length) {
    struct finding_span value = finding_value_of(c->scene.source, name);
    if (!value.length || !memchr(value.text, '[', (size_t)value.length) ||
        finding_are_equal(name, found))
      continue;
    if (found.length)
      return (struct finding_span){0};
    found = name;
  }
  return found;
}

// "bin + 1", where bin was read from memory.
static bool explain_part(struct str *out, const struct cause *c) {
  struct finding_span name = find_loaded(c);
  if (!name.length)
    return false;
  str_add(out, "The index is data: ");
  cause_add_span(out, name);
  str_add(out, " = ");
  cause_add_span(out, cause_trim(finding_value_of(c->scene.source, name)));
  str_add(out, ", and ");
  cause_add_span(out, c->index);
  str_addf(out, " is %lld in this thread: ", (long long)c->s->index);
  cause_add_extent(out, c->s);
  return true;
}

// An index that was read from memory, directly or by one variable.
bool bounds_explain_data(struct str *out, const struct cause *c) {
  struct finding_span from = c->index;
  if (!c->names.loads)
    return false;
  if (cause_is_simple(c->index)) {
    from = cause_trim(finding_value_of(c->scene.source, c->index));
    if (!from.length)
      return false;
  }
  if (!memchr(from.text, '[', (size_t)from.length))
    return explain_part(out, c);
  struct finding_span array = loaded_array(from);
  str_add(out, "The index is data: ");
  if (from.text != c->index.text) {
    cause_add_span(out, c->index);
    str_add(out, " = ");
  }
  cause_add_span(out, from);
  str_addf(out, " is %lld in this thread, and ", (long long)c->s->index);
  cause_add_extent(out, c->s);
  if (c->s->index < 0 && array.length && is_of_char(c->scene.source, array)) {
    str_add(out, " A char holds -128 to 127: unsigned char has 0 to 255.");
  }
  return true;
}
