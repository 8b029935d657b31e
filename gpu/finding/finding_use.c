// SPDX-License-Identifier: Apache-2.0
// Which of a line's accesses to an array was the wrong one. The device tells the
// element; finding_value.c what the indices in the source are worth. What cannot
// be told is not guessed: a use counts as found only where its index is the
// finding's, or where all other uses have other indices.
#include "gpu/finding/finding_use.h"

#include <ctype.h>
#include <string.h>

#include "gpu/finding/finding.h"
#include "gpu/finding/finding_value.h"

enum { MAX_USES = 16 };

static bool is_letter(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

static bool is_name(const char *at, size_t n, const char *name) {
  return strlen(name) == n && !memcmp(at, name, n);
}

// ---- Declarations ----

// The "(" that belongs to the ")" at `at`: __align__(16).
static const char *before_bracket(const char *source, const char *at) {
  int depth = 0;
  do {
    depth += (*at == ')') - (*at == '(');
  } while (depth && at-- > source);
  return at < source ? source : at;
}

// A type's name or another variable's with a comma, and no word of C's that
// stands before a statement.
static bool ends_in_type(const char *words) {
  static const char *const others[] = {"return", "else", "do", "case"};
  size_t end = strlen(words), begin;
  while (end && strchr(" \t\r\n*", words[end - 1]))
    end--;
  if (end && words[end - 1] == ',')
    return true;
  for (begin = end; begin && is_letter(words[begin - 1]);)
    begin--;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (is_name(words + begin, end - begin, others[i]))
      return false;
  return begin < end && !isdigit((unsigned char)words[begin]);
}

// Does a declaration of an array stand at `at`, where its name of `n` characters
// begins: "float a[16]", "__shared__ int b[4], c[2]"? The words before it go to
// `words`.
static bool is_declaration(const char *source, const char *at, size_t n,
                           char words[FINDING_WORDS]) {
  const char *from = at, *end = at + n;
  int depth = 0;
  for (; *end && (*end == '[' || depth); end++)
    depth += (*end == '[') - (*end == ']');
  end += strspn(end, " ");
  if (end == at + n || !*end || !strchr(";=,{", *end) || end[1] == '=')
    return false;
  while (from > source && !strchr(";{}=+-/<>&|?:(", from[-1]))
    from = from[-1] == ')' ? before_bracket(source, from - 1) : from - 1;
  if (from > source && !strchr(";{}", from[-1]))
    return false; // inside of an expression
  size_t before = (size_t)(at - from);
  if (before >= FINDING_WORDS)
    return false;
  memcpy(words, from, before);
  words[before] = 0;
  return ends_in_type(words);
}

const char *finding_declaration(const char *source, const char *end,
                                const char *name, size_t n,
                                char words[FINDING_WORDS]) {
  const char *found = NULL;
  char own[FINDING_WORDS];
  for (const char *c = source; *c && c < end; c++) {
    if (strncmp(c, name, n) != 0 || c[n] != '[' ||
        (c > source && is_letter(c[-1])) || !is_declaration(source, c, n, own))
      continue;
    found = c;
    memcpy(words, own, sizeof own);
  }
  return found;
}

int finding_type_bytes(const char *word, size_t n) {
  static const struct {
    const char *name;
    int bytes;
  } types[] = {
      {"bool", 1},     {"char", 1},     {"uchar", 1},    {"int8_t", 1},
      {"uint8_t", 1},  {"short", 2},    {"ushort", 2},   {"int16_t", 2},
      {"uint16_t", 2}, {"half", 2},     {"__half", 2},   {"int", 4},
      {"uint", 4},     {"unsigned", 4}, {"float", 4},    {"int32_t", 4},
      {"uint32_t", 4}, {"double", 8},   {"longlong", 8}, {"int64_t", 8},
      {"uint64_t", 8}, {"size_t", 8}};
  bool is_vector = n > 1 && word[n - 1] >= '2' && word[n - 1] <= '4';
  size_t stem = is_vector ? n - 1 : n;
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (is_name(word, stem, types[i].name))
      return types[i].bytes * (is_vector ? word[n - 1] - '0' : 1);
  return 0;
}

// Of the last word before the name; a list's first name may stand between.
static int bytes_of_words(const char *words) {
  int bytes = 0;
  for (const char *c = words; *c && *c != ','; c++) {
    size_t n = 0;
    while (is_letter(c[n]))
      n++;
    int own = finding_type_bytes(c, n);
    bool is_long = is_name(c, n, "long") || is_name(c, n, "struct");
    bytes = is_long ? -1 : own && bytes >= 0 ? own : bytes;
    if (*c == '*')
      return 8;
    c += n ? n - 1 : 0;
  }
  return bytes > 0 ? bytes : 0;
}

int finding_element_bytes(const char *source, const char *end,
                          const char *name) {
  char words[FINDING_WORDS];
  return finding_declaration(source, end, name, strlen(name), words)
             ? bytes_of_words(words)
             : 0;
}

// ---- The uses of a line ----

enum { MAX_BRACKETS = FINDING_ROWS };

struct use {
  int offset, length, count;
  struct {
    const char *text;
    int length;
  } index[MAX_BRACKETS]; // what stands in its brackets
};

// What a use does, as far as the text behind it says: s[i] += 1 does both.
static bool fits_access(const char *line, int length, int end, int access) {
  char rest[8] = "";
  for (int i = end, n = 0; i < length && n < (int)sizeof rest - 1; i++)
    if (n || line[i] != ' ')
      rest[n++] = line[i];
  bool is_written = finding_is_assigned(rest);
  bool is_read = !is_written || *rest != '=';
  return access == GPU_WRITE ? is_written : is_read;
}

// `name[...]` or `name[...][...]` at `offset`; false: it is none.
static bool read_use(const char *line, int length, int offset, int n,
                     struct use *u) {
  int at = offset + n;
  if (at >= length || line[at] != '[' ||
      (offset > 0 && (is_letter(line[offset - 1]) || line[offset - 1] == '.')))
    return false;
  *u = (struct use){.offset = offset};
  while (at < length && line[at] == '[' && u->count < MAX_BRACKETS) {
    int depth = 0, from = at + 1;
    do {
      depth += (line[at] == '[') - (line[at] == ']');
      at++;
    } while (at < length && depth > 0);
    u->index[u->count].text = line + from;
    u->index[u->count++].length = at - 1 - from;
  }
  u->length = at - offset;
  return true;
}

int finding_read_rows(const struct finding_subject *s, struct finding_span use,
                      struct finding_row out[FINDING_ROWS]) {
  const char *name = s->array, *source = s->scene.source;
  int n = (int)strlen(name);
  char words[FINDING_WORDS];
  struct use own, sizes;
  const char *at =
      source ? finding_declaration(source, use.text, name, (size_t)n, words)
             : NULL;
  if (!at || !read_use(use.text, use.length, 0, n, &own) ||
      !read_use(at, (int)strcspn(at, ";\n"), 0, n, &sizes) ||
      sizes.count != own.count)
    return 0;
  for (int i = 0; i < own.count; i++)
    out[i] = (struct finding_row){{own.index[i].text, own.index[i].length},
                                  {sizes.index[i].text, sizes.index[i].length}};
  return own.count;
}

bool finding_read_index(const struct finding_subject *s,
                        const struct finding_view *v, struct finding_span use,
                        int64_t *out) {
  const char *name = s->array, *source = s->scene.source;
  size_t n = strlen(name);
  char words[FINDING_WORDS];
  struct use own, sizes = {.count = 1};
  if (!read_use(use.text, use.length, 0, (int)n, &own))
    return false;
  if (own.count > 1) {
    const char *at =
        source ? finding_declaration(source, use.text, name, n, words) : NULL;
    if (!at || !read_use(at, (int)strcspn(at, ";\n"), 0, (int)n, &sizes) ||
        sizes.count != own.count)
      return false;
  }
  *out = 0;
  for (int i = 0; i < own.count; i++) {
    int64_t index, size = 0;
    if (!finding_evaluate(v, own.index[i].text, own.index[i].length, &index) ||
        (i && !finding_evaluate(v, sizes.index[i].text, sizes.index[i].length,
                                &size)))
      return false;
    *out = *out * size + index;
  }
  return true;
}

// Can a use of several brackets not be the finding's, by those that are known?
static bool is_elsewhere(const struct finding_subject *s,
                         const struct finding_view *v,
                         struct finding_span use) {
  struct finding_row rows[FINDING_ROWS];
  int64_t left = s->index, index, size;
  for (int i = finding_read_rows(s, use, rows); i-- > 0 && left >= 0;) {
    if (!finding_evaluate(v, rows[i].size.text, rows[i].size.length, &size) ||
        size <= 0)
      return false;
    bool is_known =
        finding_evaluate(v, rows[i].index.text, rows[i].index.length, &index);
    if (is_known && (index < 0 || index >= size))
      return false;
    if (is_known && index != (i ? left % size : left))
      return true;
    left /= size;
  }
  return false;
}

// Is the index the finding's? 1 yes, 0 no, -1: nobody knows.
static int is_found(const struct finding_subject *s, const char *line,
                    const struct use *u) {
  struct finding_view v = {.scene = &s->scene, .at = &s->finding->at};
  struct finding_span use = {line + u->offset, u->length};
  int64_t x;
  if (s->elem_bytes <= 0)
    return -1;
  if (!finding_read_index(s, &v, use, &x))
    return u->count > 1 && is_elsewhere(s, &v, use) ? 0 : -1;
  return x == s->index || (int32_t)(uint32_t)(uint64_t)x == s->index;
}

static bool are_alike(const char *line, const struct use *a,
                      const struct use *b) {
  return a->length == b->length &&
         !memcmp(line + a->offset, line + b->offset, (size_t)a->length);
}

// A pointer that the line uses with brackets, and whose one value is the array.
static struct finding_span find_alias(const struct finding_subject *s,
                                      const char *line, int length) {
  struct finding_span rest = {line, length}, name, found = {0};
  while (s->scene.source && (name = finding_next_name(&rest)).length) {
    if (name.text[name.length] != '[' || finding_are_equal(name, found))
      continue;
    struct finding_span value = finding_value_of(s->scene.source, name);
    struct finding_span inner = value, first = finding_next_name(&inner);
    if (!first.length || !finding_is_span(first, s->array) ||
        strspn(value.text, " ") + (size_t)first.length != (size_t)value.length)
      continue;
    if (found.length)
      return (struct finding_span){0};
    found = name;
  }
  return found;
}

int finding_find_use(const struct finding_subject *s, const char *line,
                     int length, int *offset) {
  struct finding_subject other = *s;
  const char *name = s->array;
  int n = (int)strlen(name), count = 0, open = -1;
  struct use uses[MAX_USES], u;
  for (int pass = 0; pass < 2 && !count; pass++) // any, where none is its kind
    for (int i = 0; n && i + n < length && count < MAX_USES; i++)
      if (!strncmp(line + i, name, (size_t)n) &&
          read_use(line, length, i, n, &u) &&
          (pass ||
           fits_access(line, length, i + u.length, s->finding->at.access)))
        uses[count++] = u;
  struct finding_span alias =
      n && !count ? find_alias(s, line, length) : (struct finding_span){0};
  if (alias.length && alias.length < (int)sizeof other.array) {
    memcpy(other.array, alias.text, (size_t)alias.length);
    other.array[alias.length] = 0;
    return finding_find_use(&other, line, length, offset);
  }
  bool is_open_alone = true;
  for (int i = 0; i < count; i++) {
    int found = is_found(s, line, &uses[i]);
    if (found == 1) {
      *offset = uses[i].offset;
      return uses[i].length;
    }
    if (found == 0)
      continue;
    is_open_alone &= open < 0 || are_alike(line, &uses[open], &uses[i]);
    open = open < 0 ? i : open;
  }
  if (open < 0 || !is_open_alone)
    return 0;
  *offset = uses[open].offset;
  return uses[open].length;
}
