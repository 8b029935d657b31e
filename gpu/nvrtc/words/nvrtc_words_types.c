// SPDX-License-Identifier: Apache-2.0
// When a sentence of nvrtc_words_types.def is sure: values, addresses, and what
// may be done with them.
#include "gpu/nvrtc/words/nvrtc_look.h"

// ---- What cannot be written ----

static bool is_left_of_equals(struct nvrtc_words *w) {
  if (!w->spot.at)
    return false;
  const char *p = w->spot.at + strcspn(w->spot.at, "=;{}");
  return *p == '=' && p[1] != '=';
}

// i + 1 = n, 5 = i: what stands left is no place.
static bool is_no_place(struct nvrtc_words *w) {
  if (!is_left_of_equals(w))
    return false;
  const char *end = skip_blanks(skip_operand(w->spot.at));
  return isdigit((unsigned char)*w->spot.at) ||
         (strchr("+-*/%", *end) && end[1] != '=' && end[1] != *end);
}

static bool is_assigning_condition(struct nvrtc_words *w) {
  static const char *const words[] = {"if", "while"};
  const char *open = w->spot.at ? w->spot.open : NULL;
  const char *last = open ? nvrtc_before(w->spot.text, open) : NULL;
  return last && is_left_of_equals(w) &&
         is_one_of(nvrtc_word_start(w->spot.text, last), words, LENGTH(words));
}

static bool is_const_array(struct nvrtc_words *w) {
  struct nvrtc_declared d;
  if (!at_declared(w, &d) || !d.is_const || !d.is_pointer ||
      *behind_word(w->spot.at) != '[')
    return false;
  w->line = line_of(w, d.name);
  return set_word(w, w->spot.at);
}

static bool is_const_variable(struct nvrtc_words *w) {
  struct nvrtc_declared d;
  if (!at_declared(w, &d) || !d.is_const || d.is_pointer)
    return false;
  w->line = line_of(w, d.name);
  return set_word(w, w->spot.at);
}

static bool is_whole_array(struct nvrtc_words *w) {
  struct nvrtc_declared d;
  return at_declared(w, &d) && d.is_array && *behind_word(w->spot.at) == '=' &&
         set_word(w, w->spot.at);
}

// ---- Atomics and calls ----

// The first argument of the call at `at`, from its ( to its comma.
static bool first_argument(const struct nvrtc_words *w, const char **from,
                           const char **to) {
  const char *open = at_word(w) ? behind_word(w->spot.at) : "";
  const char *end = *open == '(' ? nvrtc_closing(open) : NULL;
  int depth = 0;
  if (!end)
    return false;
  *from = skip_blanks(open + 1);
  for (*to = *from; *to < end && (depth || **to != ','); ++*to)
    depth += strchr("([", **to) ? 1 : strchr(")]", **to) ? -1 : 0;
  return *to > *from && !memchr(*from, '\n', (size_t)(*to - *from));
}

static bool has_one_argument(struct nvrtc_words *w) {
  const char *from, *to;
  return !strchr(w->parts[1], ',') && strchr(w->parts[1], '*') &&
         strcmp(w->parts[0], "CAS") && first_argument(w, &from, &to) &&
         set_text(w, from, to);
}

// atomicAdd(s[0], 1): the address of the first argument.
static bool begins_with_value(struct nvrtc_words *w) {
  const char *from, *to;
  char *type = xstrndup(w->parts[1], strcspn(w->parts[1], ","));
  bool is_address = strchr(type, '*') != NULL;
  free(type);
  if (is_address || !first_argument(w, &from, &to))
    return false;
  if (*from == '*')
    return set_text(w, skip_blanks(from + 1), to);
  if (skip_operand(from) != to || isdigit((unsigned char)*from))
    return false;
  w->text = xasprintf("&%.*s", (int)(to - from), from);
  return true;
}

// The name of the function in whose call `at` stands.
static const char *called(const struct nvrtc_words *w) {
  const char *open = w->spot.at ? w->spot.open : NULL;
  const char *last = open ? nvrtc_before(w->spot.text, open) : NULL;
  return last && nvrtc_is_word(*last) ? nvrtc_word_start(w->spot.text, last)
                                      : NULL;
}

// x(i) of an array, max(a, b) where max is a variable.
static bool is_called(struct nvrtc_words *w, bool is_array) {
  struct nvrtc_declared d;
  if (!at_declared(w, &d) || d.is_function || *behind_word(w->spot.at) != '(' ||
      (d.is_array || d.is_pointer) != is_array)
    return false;
  w->line = line_of(w, d.name);
  return set_word(w, w->spot.at);
}

static bool is_called_array(struct nvrtc_words *w) {
  return is_called(w, true);
}

static bool is_called_variable(struct nvrtc_words *w) {
  return is_called(w, false);
}

static bool is_own_function(struct nvrtc_words *w) {
  const char *name = called(w);
  struct nvrtc_declared d;
  if (!name || !nvrtc_find_declared(w->spot.text, name, name, &d) ||
      !d.is_function)
    return false;
  const char *open = behind_word(d.name), *end = nvrtc_closing(open);
  w->line = line_of(w, d.name);
  return end && !memchr(open, '\n', (size_t)(end - open)) &&
         set_word(w, name) && set_text(w, open, end + 1);
}

static bool is_syncthreads(struct nvrtc_words *w) {
  const char *name = called(w);
  return name && nvrtc_word_is(name, "__syncthreads");
}

static bool is_same_but_const(struct nvrtc_words *w) {
  return !strcmp(w->parts[0], w->parts[2]);
}

static bool is_same_argument(struct nvrtc_words *w) {
  return !strcmp(w->parts[0], w->parts[1]);
}

static bool is_bare_argument(struct nvrtc_words *w) {
  struct nvrtc_declared d;
  return at_declared(w, &d) && d.is_pointer &&
         strchr(",)", *behind_word(w->spot.at)) && set_word(w, w->spot.at);
}

static bool is_in_void(struct nvrtc_words *w) {
  const char *at = w->spot.at, *p = at ? w->spot.statement : "";
  for (const char *c = p; at && c < at; c++)
    if (nvrtc_word_is(c, "return") && (c == p || !nvrtc_is_word(c[-1])))
      p = c;
  return nvrtc_word_is(p, "return") && strchr(p, ';') &&
         line_of(w, p) == w->d->line;
}

static bool is_behind_global(struct nvrtc_words *w) {
  const char *word = word_before(w);
  return word && nvrtc_word_is(word, "__global__") && set_word(w, w->spot.at);
}

// _Z1fPf: a length and a name.
static bool is_plain_mangled(struct nvrtc_words *w) {
  char *name;
  long n = strtol(w->parts[0], &name, 10);
  if (n <= 0 || (size_t)n > strlen(name))
    return false;
  w->word = xstrndup(name, (size_t)n);
  return true;
}

static bool has_both_spaces(struct nvrtc_words *w) {
  const char *p = w->spot.at ? w->spot.statement : "";
  const char *end = p + strcspn(p, "({;");
  const char *global = strstr(p, "__global__"),
             *device = strstr(p, "__device__");
  return global && device && global < end && device < end;
}

static bool is_old_vote(struct nvrtc_words *w) {
  static const char *const names[] = {"__ballot", "__any", "__all"};
  const char *found = NULL;
  for (const char *p = w->spot.text; *p;) {
    size_t n = nvrtc_word_bytes(p);
    if (n && is_one_of(p, names, LENGTH(names))) {
      if (found)
        return false;
      found = p;
    }
    p += n ? n : 1;
  }
  return found && set_word(w, found);
}

static bool has_no_mask(struct nvrtc_words *w) {
  return !strchr(w->parts[1], ',') && !strchr(w->parts[2], ',');
}

// ---- Memory ----

static bool is_shared(struct nvrtc_words *w) {
  return w->spot.at && nvrtc_word_is(w->spot.statement, "__shared__");
}

static bool is_extern_shared(struct nvrtc_words *w) {
  return w->spot.at && nvrtc_word_is(w->spot.statement, "extern") &&
         nvrtc_word_is(behind_word(w->spot.statement), "__shared__");
}

static bool is_case(struct nvrtc_words *w) {
  const char *word = word_before(w);
  return word && nvrtc_word_is(word, "case");
}

static bool is_array_size(struct nvrtc_words *w) {
  return w->spot.at && w->spot.open && *w->spot.open == '[' &&
         nvrtc_starts_type(w->spot.statement);
}

static bool is_shared_size(struct nvrtc_words *w) {
  return is_array_size(w) && is_shared(w);
}

// Moves to the kernel's only __shared__ line, and says the sizes in decimals.
static bool is_too_much_shared(struct nvrtc_words *w) {
  long bytes = strtol(w->parts[1], NULL, 16);
  long most = strtol(w->parts[2], NULL, 16);
  char *name = NULL;
  long n =
      str_starts(w->parts[0], "_Z") ? strtol(w->parts[0] + 2, &name, 10) : 0;
  if (bytes <= 0 || most <= 0 || (n > 0 && (size_t)n > strlen(name)))
    return false;
  w->word = n > 0 ? xstrndup(name, (size_t)n) : xstrdup(w->parts[0]);
  w->text = xasprintf("%ld bytes, and a block has %ld", bytes, most);
  const char *only = strstr(w->spot.text, "__shared__");
  if (only && !strstr(only + 1, "__shared__")) {
    const char *end = only + strcspn(only, ";\n");
    move_behind(w, end - 1);
    w->d->column = nvrtc_spot_column(w->spot.text, only);
  }
  return true;
}

// ---- Numbers and addresses ----

// The one operator for whole numbers of which the operand at `at` is a side:
// '%', '^', '&', '|', '<' or '>' for the shifts; 0: none, or not one alone.
static char whole_operator(const struct nvrtc_words *w) {
  const char *last = before(w);
  if (!last)
    return 0;
  if (strchr("%^", *last) ||
      (strchr("&|", *last) && last[-1] != *last && last > w->spot.text) ||
      (strchr("<>", *last) && last[-1] == *last))
    return *last;
  char found = 0;
  int depth = 0;
  for (const char *p = w->spot.at; *p && !strchr(";,?{}\n", *p); p++) {
    depth += strchr("([", *p) ? 1 : strchr(")]", *p) ? -1 : 0;
    if (depth < 0)
      break;
    bool is_double = p[0] == p[1] && strchr("&|<>", *p);
    bool is_bit = strchr("%^", *p) || (strchr("&|", *p) && !is_double) ||
                  (strchr("<>", *p) && is_double);
    if (depth == 0 && is_bit) {
      if (found && found != *p)
        return 0;
      found = *p;
    }
    p += is_double;
  }
  return found;
}

static bool is_modulo(struct nvrtc_words *w) {
  return whole_operator(w) == '%';
}

static bool is_caret(struct nvrtc_words *w) {
  return whole_operator(w) == '^';
}

static bool is_bit_operator(struct nvrtc_words *w) {
  char c = whole_operator(w);
  char text[3] = {c, c == '<' || c == '>' ? c : 0, 0};
  if (!c || !strchr("&|<>", c))
    return false;
  w->word = xstrdup(text);
  return true;
}

static bool is_index(struct nvrtc_words *w) {
  return is_before(w, '[') && !whole_operator(w);
}

// x + 1.5f, x + y: the left side is an address.
static bool is_added_to_address(struct nvrtc_words *w) {
  const char *last = before(w);
  if (!last || !strchr("+-", *last) || whole_operator(w))
    return false;
  const char *end = nvrtc_before(w->spot.text, last);
  const char *word = end ? nvrtc_word_start(w->spot.text, end) : NULL;
  struct nvrtc_declared d;
  return word && nvrtc_is_word(*end) &&
         nvrtc_find_declared(w->spot.text, word, word, &d) && d.is_pointer &&
         set_word(w, word);
}

static bool is_bare_address(struct nvrtc_words *w) {
  struct nvrtc_declared d;
  return at_declared(w, &d) && d.is_pointer &&
         *behind_word(w->spot.at) != '[' && set_word(w, w->spot.at);
}

static bool is_switch(struct nvrtc_words *w) {
  return w->spot.at && nvrtc_word_is(w->spot.statement, "switch");
}

static bool is_bare_function(struct nvrtc_words *w) {
  const char *p = w->spot.at;
  if (p && *p == '=')
    p = skip_blanks(p + 1);
  return p && nvrtc_is_word(*p) && *behind_word(p) == ';' && set_word(w, p);
}

// What is declared or assigned in this statement: the name before its =.
static const char *left_name(const struct nvrtc_words *w) {
  if (!w->spot.at)
    return NULL;
  const char *p = w->spot.statement + strcspn(w->spot.statement, "=;");
  const char *last = *p == '=' ? nvrtc_before(w->spot.text, p) : NULL;
  return last && nvrtc_is_word(*last) ? nvrtc_word_start(w->spot.text, last)
                                      : NULL;
}

static bool is_value(struct nvrtc_words *w) {
  const char *name = left_name(w);
  size_t n = strlen(w->parts[0]);
  if (!n || w->parts[0][n - 1] == '*' || strchr(w->parts[0], '('))
    return false;
  return str_starts(w->d->text, "argument") || (name && set_word(w, name));
}

static bool is_value_to_array(struct nvrtc_words *w) {
  const char *name = left_name(w);
  size_t n = strlen(w->parts[0]);
  return name && name == w->spot.statement && n && w->parts[0][n - 1] != '*' &&
         set_word(w, name);
}

// The right side of =, where `at` may stand at the = itself.
static const char *right_side(const struct nvrtc_words *w) {
  const char *p = w->spot.at;
  return p && *p == '=' ? skip_blanks(p + 1) : p;
}

static bool is_taken_address(struct nvrtc_words *w) {
  const char *p = right_side(w);
  size_t n = strlen(w->parts[2]);
  return p && *p == '&' && p[1] != '&' && n && w->parts[2][n - 1] != '*';
}

static bool is_right_address(struct nvrtc_words *w) {
  const char *p = right_side(w);
  size_t n = strlen(w->parts[2]);
  struct nvrtc_declared d;
  return p && nvrtc_is_word(*p) && n && w->parts[2][n - 1] != '*' &&
         strchr(";+", *behind_word(p)) &&
         nvrtc_find_declared(w->spot.text, p, p, &d) && d.is_pointer &&
         set_word(w, p);
}

// out[i][j] of a float *.
static bool is_flat_array(struct nvrtc_words *w) {
  struct nvrtc_declared d;
  if (!at_declared(w, &d) || !d.is_pointer)
    return false;
  const char *open = behind_word(w->spot.at);
  const char *end = *open == '[' ? nvrtc_closing(open) : NULL;
  return end && *skip_blanks(end + 1) == '[' && set_word(w, w->spot.at);
}

static bool is_star_of_first(struct nvrtc_words *w) {
  struct nvrtc_declared d;
  if (!at_declared(w, &d) || d.is_pointer ||
      !is_before(
          &(struct nvrtc_words){.spot = {.text = w->spot.text, .at = d.name}},
          ','))
    return false;
  return memchr(d.type, '*', (size_t)(d.name - d.type)) &&
         set_word(w, w->spot.at);
}

// The compiler points at either side of n[i].
static bool is_one_value(struct nvrtc_words *w) {
  struct nvrtc_declared d;
  const char *last = is_before(w, '[') ? before(w) : NULL;
  const char *end = last ? nvrtc_before(w->spot.text, last) : NULL;
  const char *name = end && nvrtc_is_word(*end)
                         ? nvrtc_word_start(w->spot.text, end)
                     : at_word(w) ? w->spot.at
                                  : NULL;
  return name && *behind_word(name) == '[' &&
         nvrtc_find_declared(w->spot.text, name, name, &d) && !d.is_pointer &&
         !d.is_function && set_word(w, name);
}

static bool is_length(struct nvrtc_words *w) {
  static const char *const names[] = {"size", "length", "shape", "len",
                                      "count"};
  const char *next = at_word(w) ? behind_word(w->spot.at) : "";
  return *next == '.' && is_one_of(skip_blanks(next + 1), names, LENGTH(names));
}

static bool is_basic_type(struct nvrtc_words *w) {
  const char *type = w->parts[0];
  type += str_starts(type, "const ") ? 6 : 0;
  size_t n = nvrtc_word_bytes(type);
  return nvrtc_starts_type(type) && !type[n] &&
         (w->text = xstrdup(type)) != NULL;
}

static bool is_left_address(struct nvrtc_words *w) {
  const char *last = before(w);
  const char *word = last ? nvrtc_word_start(w->spot.text, last) : NULL;
  size_t n = strlen(w->parts[1]);
  struct nvrtc_declared d;
  return word && nvrtc_is_word(*last) && n && w->parts[1][n - 1] != '*' &&
         nvrtc_find_declared(w->spot.text, word, word, &d) && d.is_pointer &&
         set_word(w, word);
}

static bool is_min_or_max(struct nvrtc_words *w) {
  return !strcmp(w->parts[0], "min") || !strcmp(w->parts[0], "max");
}

// ---- Slips ----

static bool is_goto(struct nvrtc_words *w) {
  return at_word(w) && nvrtc_word_is(w->spot.at, "goto");
}

// __syncthreads; and its kin.
static bool is_uncalled(struct nvrtc_words *w) {
  const char *p = w->spot.at ? w->spot.statement : "";
  return (nvrtc_word_is(p, "__syncthreads") ||
          nvrtc_word_is(p, "__syncwarp")) &&
         *behind_word(p) == ';' && set_word(w, p);
}

// x[i] == 3; as a statement of its own.
static bool is_lone_comparison(struct nvrtc_words *w) {
  const char *p = w->spot.at ? w->spot.statement : NULL;
  if (!p || !nvrtc_is_word(*p) || isdigit((unsigned char)*p))
    return false;
  p = skip_blanks(skip_operand(p));
  return p[0] == '=' && p[1] == '=' && p[2] != '=';
}

static bool is_warp_size(struct nvrtc_words *w) {
  return at_word(w) && nvrtc_word_is(w->spot.at, "warpSize");
}

static bool is_called_here(struct nvrtc_words *w) {
  return at_word(w) && *behind_word(w->spot.at) == '(' &&
         set_word(w, w->spot.at);
}

static bool is_quoted(struct nvrtc_words *w) {
  return at_text(w, "\"");
}

static bool is_new(struct nvrtc_words *w) {
  const char *name = left_name(w);
  if (!name)
    return false;
  const char *p = skip_blanks(behind_word(name) + 1);
  return nvrtc_word_is(p, "new") && set_word(w, name);
}

// What stands between the quotes behind the operator; NULL: there are none.
static const char *quoted_behind(const struct nvrtc_words *w, size_t *bytes) {
  const char *p = w->spot.at ? w->spot.at + strspn(w->spot.at, "=!<>") : NULL;
  p = p ? in_source(w, skip_blanks(p)) : "";
  *bytes = *p == '"' ? strcspn(p + 1, "\"\n") : 0;
  return *bytes ? p + 1 : NULL;
}

static bool is_quoted_number(struct nvrtc_words *w) {
  size_t n;
  const char *text = quoted_behind(w, &n);
  return text && strspn(text, "0123456789.-") == n;
}

static bool is_quoted_character(struct nvrtc_words *w) {
  size_t n;
  return quoted_behind(w, &n) && n == 1;
}

// p.x, where p is the address of a structure.
static bool is_part_of_address(struct nvrtc_words *w) {
  const char *dot = at_word(w) ? behind_word(w->spot.at) : "";
  const char *part = *dot == '.' ? skip_blanks(dot + 1) : "";
  const char *last = before(w);
  return nvrtc_is_word(*part) && !nvrtc_starts_type(w->parts[0]) &&
         !(last && *last == '*') && set_word(w, w->spot.at) &&
         set_text(w, part, part + nvrtc_word_bytes(part));
}

static bool is_printf_of_value(struct nvrtc_words *w) {
  const char *open = w->spot.at ? w->spot.open : NULL;
  const char *last = open ? nvrtc_before(w->spot.text, open) : NULL;
  return last && skip_blanks(open + 1) == w->spot.at && !at_text(w, "'") &&
         nvrtc_is_word(*last) &&
         nvrtc_word_is(nvrtc_word_start(w->spot.text, last), "printf");
}

static bool is_behind_device(struct nvrtc_words *w) {
  const char *word = word_before(w);
  return word && nvrtc_word_is(word, "__device__") &&
         *behind_word(w->spot.at) == '(' && set_word(w, w->spot.at);
}

// ---- The table ----

static const struct nvrtc_words_row rows[] = {
#define WORDS(message, condition, text, sentence)                              \
  {message, condition, text, sentence},
#include "gpu/nvrtc/words/nvrtc_words_types.def"
#undef WORDS
};
const struct nvrtc_words_table nvrtc_words_types = {rows, LENGTH(rows)};
