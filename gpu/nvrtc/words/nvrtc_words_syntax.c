// SPDX-License-Identifier: Apache-2.0
// When a sentence of nvrtc_words_syntax.def is sure: what stands around the
// place that the compiler points at.
#include "gpu/nvrtc/words/nvrtc_look.h"

// ---- Semicolons ----

static bool has_unknown_name(const struct nvrtc_words *w, int line) {
  for (int i = 0; i < w->count; i++)
    if (w->all[i].line == line && str_starts(w->all[i].text, "identifier \""))
      return true;
  return false;
}

static bool ends_operand(const char *last) {
  return nvrtc_is_word(*last) || strchr(")]\"'", *last) ||
         (*last == '.' && isdigit((unsigned char)last[-1])) ||
         (last[0] == '+' && last[-1] == '+') ||
         (last[0] == '-' && last[-1] == '-');
}

static bool is_first_in_line(const struct nvrtc_words *w, const char *p) {
  while (p > w->spot.text && (p[-1] == ' ' || p[-1] == '\t'))
    p--;
  return p == w->spot.text || p[-1] == '\n';
}

// The compiler took everything up to the end of a line and wanted a ; when the
// next one began. A line with an unknown name has another cause.
static bool line_lacks_semicolon(struct nvrtc_words *w) {
  const char *last = before(w);
  if (!last || !is_first_in_line(w, w->spot.at) ||
      line_of(w, last) >= w->d->line || *w->spot.at == '{' ||
      !ends_operand(last) || has_unknown_name(w, line_of(w, last)) ||
      has_unknown_name(w, w->d->line) ||
      (*w->spot.at != '}' && indent_of(w, w->spot.at) > indent_of(w, last)))
    return false;
  const char *word = nvrtc_word_start(w->spot.text, last);
  if (str_starts(w->d->text, "return") && !nvrtc_word_is(word, "return"))
    return false;
  move_behind(w, last);
  return true;
}

// x = 3 // 2; of Python: what the ; ended is a comment.
static bool comment_takes_semicolon(struct nvrtc_words *w) {
  const char *last = before(w);
  const char *rest = last ? in_source(w, last) + 1 : "";
  rest += strspn(rest, " \t");
  return str_starts(rest, "//") && memchr(rest, ';', strcspn(rest, "\n")) &&
         line_lacks_semicolon(w);
}

static bool is_before_brace(struct nvrtc_words *w) {
  const char *last = before(w);
  return last && at_text(w, "}") && ends_operand(last) &&
         !has_unknown_name(w, w->d->line);
}

// struct pair { ... } and then __global__ or a type.
static bool ends_a_type(struct nvrtc_words *w) {
  static const char *const kinds[] = {"struct", "class", "union", "enum"};
  if (!w->spot.at || w->spot.braces)
    return false;
  const char *end = w->spot.ended, *open = NULL, *from = NULL;
  for (const char *p = w->spot.text; end && p < end; p++)
    if (*p == '{' && nvrtc_closing(p) == end)
      open = p;
  for (const char *p = open; p && p > w->spot.text && !strchr(";}", p[-1]);)
    from = --p;
  from = from ? skip_blanks(from) : NULL;
  if (!from || !is_one_of(from, kinds, LENGTH(kinds)) ||
      skip_blanks(end + 1) == end + 1)
    return false;
  for (const char *p = skip_blanks(end + 1); p < w->spot.at;)
    if (nvrtc_is_word(*p))
      p = behind_word(p);
    else
      return false;
  move_behind(w, end);
  return true;
}

static bool is_short_for(struct nvrtc_words *w) {
  const char *open = for_of(w), *end = open ? nvrtc_closing(open) : NULL;
  int n = 0;
  for (const char *p = open; end && p < end; p++)
    n += *p == ';';
  return end && n < 2 && !memchr(open, ':', (size_t)(end - open));
}

static bool closes_too_much(struct nvrtc_words *w) {
  return at_text(w, ")") &&
         left_open(w->spot.statement, w->spot.at + 1, '(', ')') < 0;
}

// v if condition else other
static bool is_python_choice(struct nvrtc_words *w) {
  if (!at_word(w) || !nvrtc_word_is(w->spot.at, "if"))
    return false;
  const char *end = w->spot.at + strcspn(w->spot.at, ";\n{");
  const char *other = strstr(w->spot.at, " else ");
  return other && other < end && w->spot.at > w->spot.statement;
}

// ---- Braces ----

// The last } that begins a line and closes a { whose line begins elsewhere.
static bool find_misplaced(const struct nvrtc_words *w, const char *limit,
                           const char **open, const char **close) {
  bool found = false;
  for (const char *p = w->spot.text; p < limit && *p; p++) {
    const char *end = *p == '{' ? nvrtc_closing(p) : NULL;
    if (end && end < limit && is_first_in_line(w, end) &&
        line_of(w, p) != line_of(w, end) &&
        indent_of(w, p) != indent_of(w, end)) {
      *open = p;
      *close = end;
      found = true;
    }
  }
  return found;
}

static const char *first_open(const struct nvrtc_words *w, const char *limit) {
  const char *stack[64];
  int n = 0;
  for (const char *p = w->spot.text; p < limit && *p; p++) {
    if (*p == '{' && n < 64)
      stack[n++] = p;
    else if (*p == '}' && n)
      n--;
  }
  return n ? stack[0] : NULL;
}

static bool leaves_brace_open(struct nvrtc_words *w) {
  if (!w->spot.at)
    return false;
  const char *first = first_open(w, w->spot.at), *open, *close;
  if (!first)
    return false;
  struct str s = STR_INIT;
  if (find_misplaced(w, w->spot.at, &open, &close))
    str_addf(&s,
             "the } of line %d closes the { of line %d, so the { of line %d "
             "stays open",
             line_of(w, close), line_of(w, open), line_of(w, first));
  else
    str_addf(&s, "the { of line %d is not closed", line_of(w, first));
  w->text = str_take(&s);
  return true;
}

static bool is_function_inside(struct nvrtc_words *w) {
  if (!at_text(w, "{") || !w->spot.braces ||
      !is_function_head(w->spot.statement))
    return false;
  const char *first = first_open(w, w->spot.at), *open, *close;
  struct str s = STR_INIT;
  w->line = line_of(w, first);
  if (find_misplaced(w, w->spot.at, &open, &close))
    str_addf(&s, ": the } of line %d closed the { of line %d",
             line_of(w, close), line_of(w, open));
  w->text = str_take(&s);
  return true;
}

static bool is_spare_brace(struct nvrtc_words *w) {
  if (!at_text(w, "}") || w->spot.braces || !w->spot.ended)
    return false;
  w->line = line_of(w, w->spot.ended);
  return true;
}

static bool is_lone_else(struct nvrtc_words *w) {
  return at_word(w) && nvrtc_word_is(w->spot.at, "else");
}

static bool is_body_without_brace(struct nvrtc_words *w) {
  return w->spot.at && !w->spot.braces && is_before(w, ')') &&
         is_function_head(w->spot.statement);
}

// ---- Parentheses ----

static bool is_behind_keyword(struct nvrtc_words *w) {
  static const char *const words[] = {"if", "while", "for", "switch"};
  const char *last = before(w);
  const char *word = last ? nvrtc_word_start(w->spot.text, last) : NULL;
  return word && is_one_of(word, words, LENGTH(words)) && set_word(w, word);
}

static bool is_not_equal(struct nvrtc_words *w) {
  return at_text(w, "~=");
}

static bool is_cast(struct nvrtc_words *w) {
  const char *type = word_before(w);
  const char *last = type ? nvrtc_before(w->spot.text, type) : NULL;
  return w->spot.braces && last && *last == '(' && nvrtc_starts_type(type) &&
         at_word(w) && set_word(w, type);
}

static bool is_restrict(struct nvrtc_words *w) {
  const char *word = word_before(w);
  return word && nvrtc_word_is(word, "restrict");
}

// float[] x
static bool is_java_parameter(struct nvrtc_words *w) {
  const char *last = before(w);
  if (!is_in_head(w) || !at_word(w) || !last || *last != ']')
    return false;
  const char *open = last;
  while (open > w->spot.open && *open != '[')
    open--;
  const char *end = nvrtc_before(w->spot.text, open);
  const char *type = end ? nvrtc_word_start(w->spot.text, end) : NULL;
  return type && nvrtc_starts_type(type) && set_word(w, w->spot.at) &&
         set_text(w, type, type + nvrtc_word_bytes(type));
}

static bool is_semicolon_in_head(struct nvrtc_words *w) {
  return at_text(w, ";") && is_in_head(w);
}

// Two words with nothing between them, inside parentheses that are closed.
static bool is_word_behind_word(struct nvrtc_words *w) {
  const char *word = word_before(w), *open = w->spot.open;
  const char *end = word && open ? nvrtc_closing(open) : NULL;
  size_t line = end ? strcspn(w->spot.at, ";{}") : 0;
  return end && at_word(w) && end < w->spot.at + line &&
         set_word(w, w->spot.at) &&
         set_text(w, word, word + nvrtc_word_bytes(word));
}

static const char *statement_end(const struct nvrtc_words *w) {
  return w->spot.at + strcspn(w->spot.at, ";{}");
}

static bool leaves_parenthesis_open(struct nvrtc_words *w) {
  return w->spot.at &&
         left_open(w->spot.statement, statement_end(w), '(', ')') > 0;
}

static bool leaves_bracket_open(struct nvrtc_words *w) {
  return w->spot.at &&
         left_open(w->spot.statement, statement_end(w), '[', ']') > 0;
}

static bool is_head_without_parentheses(struct nvrtc_words *w) {
  if (!at_word(w) || !nvrtc_word_is(w->spot.at, "__global__"))
    return false;
  const char *name = behind_word(w->spot.at);
  if (!nvrtc_word_is(name, "void"))
    return false;
  name = behind_word(name);
  return *behind_word(name) == '{' && set_word(w, name);
}

// ---- Macros ----

// "#define NAME rest": sets $w and $n, and gives the rest of the line.
static const char *macro_at(struct nvrtc_words *w, size_t *bytes) {
  // The compiler may point at what follows the macro.
  const char *at = at_word(w) ? w->spot.at : word_before(w);
  if (!at)
    return NULL;
  size_t n = nvrtc_word_bytes(at);
  for (const char *p = w->source; (p = strstr(p, "#define")); p += 7) {
    const char *name = p + 7 + strspn(p + 7, " \t");
    if (nvrtc_word_bytes(name) != n || strncmp(name, at, n))
      continue;
    const char *rest = name + n;
    *bytes = strcspn(rest, "\n");
    while (*bytes && isspace((unsigned char)rest[*bytes - 1]))
      --*bytes;
    w->line = nvrtc_spot_line(w->source, p);
    set_word(w, name);
    return rest;
  }
  return NULL;
}

static bool is_macro_with_semicolon(struct nvrtc_words *w) {
  size_t n;
  const char *rest = macro_at(w, &n);
  return rest && n && rest[n - 1] == ';';
}

static bool is_macro_with_equals(struct nvrtc_words *w) {
  size_t n;
  const char *rest = macro_at(w, &n);
  return rest && n && rest[strspn(rest, " \t")] == '=';
}

// ---- Operators ----

static bool has_around(const struct nvrtc_words *w, int back,
                       const char *text) {
  return w->spot.at && w->spot.at - w->spot.text >= back &&
         str_starts(w->spot.at - back, text);
}

static bool is_less_equal(struct nvrtc_words *w) {
  return has_around(w, 1, "=<") && !has_around(w, 1, "=<<");
}

static bool is_greater_equal(struct nvrtc_words *w) {
  return w->spot.open && has_around(w, 1, "=>");
}

static bool is_unequal(struct nvrtc_words *w) {
  return has_around(w, 1, "<>");
}

static bool is_triple(struct nvrtc_words *w) {
  return has_around(w, 2, "===");
}

static bool is_colon_equals(struct nvrtc_words *w) {
  return has_around(w, 1, ":=");
}

static bool is_after_operator(struct nvrtc_words *w) {
  const char *last = before(w);
  return last && strchr(";)]", *w->spot.at) && strchr("+-*/%<>=&|^", *last) &&
         !(last[0] == last[-1] && strchr("+-", *last)) &&
         set_text(w, last, last + 1);
}

static bool has_question_mark(struct nvrtc_words *w) {
  return w->spot.at && memchr(w->spot.statement, '?',
                              (size_t)(w->spot.at - w->spot.statement));
}

static bool is_power(struct nvrtc_words *w) {
  const char *last = before(w);
  return last && last > w->spot.text && last[0] == '*' && last[-1] == '*' &&
         last - 1 > w->spot.statement;
}

// *x[i], where x[i] is a value.
static bool is_needless_star(struct nvrtc_words *w) {
  return is_before(w, '*') && at_word(w) && *behind_word(w->spot.at) == '[' &&
         set_word(w, w->spot.at);
}

static bool is_dashed_comment(struct nvrtc_words *w) {
  const char *last = before(w);
  return last && last > w->spot.text && last[0] == '-' && last[-1] == '-' &&
         isspace((unsigned char)w->spot.at[-1]) &&
         is_first_in_line(w, last - 1);
}

static bool is_near_directive(struct nvrtc_words *w) {
  static const char *const names[] = {"include", "define", "undef", "ifdef",
                                      "ifndef",  "endif",  "pragma"};
  if (!w->spot.at)
    return false;
  const char *p = in_source(w, w->spot.at);
  char *word = xstrndup(p, nvrtc_word_bytes(p));
  struct nearest near = nearest_to(word);
  for (size_t i = 0; i < LENGTH(names); i++)
    nearest_try(&near, names[i], strlen(names[i]));
  free(word);
  free(w->text);
  w->text = near.name ? xstrdup(near.name) : NULL;
  return near.name != NULL;
}

// "# add one to each": a blank, and no directive.
static bool is_hash_comment(struct nvrtc_words *w) {
  return w->spot.at && in_source(w, w->spot.at)[-1] == ' ' &&
         !is_near_directive(w);
}

// ---- Signs ----

struct sign {
  const char *sign, *means;
};

static const struct sign *find_sign(const struct nvrtc_words *w,
                                    const struct sign *list, size_t n) {
  for (size_t i = 0; w->spot.at && i < n; i++)
    if (str_starts(in_source(w, w->spot.at), list[i].sign))
      return &list[i];
  return NULL;
}

static bool is_dash(struct nvrtc_words *w) {
  static const struct sign list[] = {{"\u2010", "-"}, {"\u2011", "-"},
                                     {"\u2012", "-"}, {"\u2013", "-"},
                                     {"\u2014", "-"}, {"\u2212", "-"}};
  return find_sign(w, list, LENGTH(list)) != NULL;
}

static bool is_curly_quote(struct nvrtc_words *w) {
  static const struct sign list[] = {
      {"\u2018", "'"},  {"\u2019", "'"},  {"\u201c", "\""},
      {"\u201d", "\""}, {"\u201e", "\""}, {"\u00ab", "\""},
      {"\u00bb", "\""}, {"\u00b4", "'"},  {"`", "'"}};
  return find_sign(w, list, LENGTH(list)) != NULL;
}

static bool is_odd_blank(struct nvrtc_words *w) {
  static const struct sign list[] = {{"\u00a0", " "}, {"\u2003", " "},
                                     {"\u2009", " "}, {"\u200b", " "},
                                     {"\u202f", " "}, {"\ufeff", " "}};
  return find_sign(w, list, LENGTH(list)) != NULL;
}

static bool is_math_sign(struct nvrtc_words *w) {
  static const struct sign list[] = {
      {"\u00d7", "*"},  {"\u00b7", "*"},  {"\u2217", "*"},  {"\u00f7", "/"},
      {"\u2264", "<="}, {"\u2265", ">="}, {"\u2260", "!="}, {"\u037e", ";"},
      {"\uff1b", ";"},  {"\uff0c", ","},  {"\uff08", "("},  {"\uff09", ")"}};
  const struct sign *found = find_sign(w, list, LENGTH(list));
  if (!found)
    return false;
  w->word = xstrdup(found->means);
  w->text = xstrdup(found->sign);
  return true;
}

static bool is_other_sign(struct nvrtc_words *w) {
  const char *p = w->spot.at ? in_source(w, w->spot.at) : "";
  size_t n = 1;
  if ((unsigned char)*p < 0xc0 && !strchr("@$", *p ? *p : ' '))
    return false;
  while (((unsigned char)p[n] & 0xc0) == 0x80)
    n++;
  struct str s = STR_INIT;
  nvrtc_add_printable(&s, p, n);
  w->text = str_take(&s);
  return true;
}

static bool is_single_quoted(struct nvrtc_words *w) {
  return at_text(w, "'");
}

// 1f
static bool is_short_float(struct nvrtc_words *w) {
  size_t n = w->spot.at ? strspn(w->spot.at, "0123456789") : 0;
  return n && nvrtc_word_is(w->spot.at + n, "f") &&
         (w->word = xstrndup(w->spot.at, n)) != NULL;
}

static bool begins_with_digit(struct nvrtc_words *w) {
  return w->spot.at && isdigit((unsigned char)*w->spot.at) &&
         nvrtc_word_bytes(w->spot.at) > strspn(w->spot.at, "0123456789");
}

static bool is_keyword(struct nvrtc_words *w) {
  static const char *const words[] = {
      "new",      "delete", "this",   "class",    "template",  "operator",
      "private",  "public", "return", "register", "namespace", "default",
      "typename", "switch", "case",   "union",    "struct",    "friend",
      "if",       "else",   "for",    "while",    "do",        "int",
      "float",    "double", "char",   "signed",   "void",      "volatile"};
  const char *type = word_before(w);
  return type && nvrtc_starts_type(type) && at_word(w) &&
         is_one_of(w->spot.at, words, LENGTH(words)) &&
         strchr("=;,[)", *behind_word(w->spot.at)) && set_word(w, w->spot.at);
}

// float[4] s
static bool is_java_array(struct nvrtc_words *w) {
  const char *open = at_word(w) ? behind_word(w->spot.at) : "";
  const char *end = *open == '[' ? nvrtc_closing(open) : NULL;
  return end && nvrtc_starts_type(w->spot.at) &&
         nvrtc_is_word(*skip_blanks(end + 1)) && set_word(w, w->spot.at) &&
         set_text(w, open, end + 1);
}

// ---- Names that are missing ----

static bool is_nameless(struct nvrtc_words *w) {
  const char *last = is_before(w, '(') ? before(w) : NULL;
  const char *end = last ? nvrtc_before(w->spot.text, last) : NULL;
  return end && is_function_head(w->spot.statement) &&
         nvrtc_word_is(nvrtc_word_start(w->spot.text, end), "void");
}

// ---- Slips ----

static bool ends_in_colon(struct nvrtc_words *w) {
  return at_text(w, ":") && w->spot.at[1] != ':' && !w->spot.open &&
         w->spot.at[1 + strspn(w->spot.at + 1, " \t")] == '\n' &&
         !memchr(w->spot.statement, '?',
                 (size_t)(w->spot.at - w->spot.statement));
}

// void k(float *x); and then its { on a line of its own.
static bool is_body_of_ended(struct nvrtc_words *w) {
  const char *last = at_text(w, "{") && !w->spot.braces ? before(w) : NULL;
  const char *close =
      last && *last == ';' ? nvrtc_before(w->spot.text, last) : NULL;
  if (!close || *close != ')')
    return false;
  w->line = line_of(w, last);
  return true;
}

static bool is_word_operator(struct nvrtc_words *w) {
  static const struct {
    const char *word, *sign;
  } words[] = {{"AND", "&&"}, {"And", "&&"}, {"OR", "||"}, {"Or", "||"}};
  for (size_t i = 0; at_word(w) && i < LENGTH(words); i++)
    if (nvrtc_word_is(w->spot.at, words[i].word)) {
      w->text = xstrdup(words[i].sign);
      return before(w) && ends_operand(before(w));
    }
  return false;
}

static bool is_trailing_comma(struct nvrtc_words *w) {
  return at_text(w, ")") && is_before(w, ',') && is_in_head(w);
}

// int float = 3;
static bool is_type_as_name(struct nvrtc_words *w) {
  static const char *const words[] = {"int",  "float",  "double",
                                      "char", "signed", "unsigned",
                                      "long", "short",  "bool"};
  for (const char *p = w->spot.at; p && nvrtc_is_word(*p); p = behind_word(p))
    if (is_one_of(p, words, LENGTH(words)) && *behind_word(p) == '=')
      return set_word(w, p);
  return false;
}

// 2x[i], where x is declared.
static bool is_number_times(struct nvrtc_words *w) {
  size_t n = w->spot.at ? strspn(w->spot.at, "0123456789.") : 0;
  const char *name = n ? w->spot.at + n : "";
  struct nvrtc_declared d;
  if (!nvrtc_word_bytes(name) ||
      !nvrtc_find_declared(w->spot.text, name, w->spot.at, &d))
    return false;
  w->word = xstrndup(w->spot.at, n);
  return set_text(w, name, name + nvrtc_word_bytes(name));
}

static bool is_number(struct nvrtc_words *w) {
  size_t n = w->spot.at ? strspn(w->spot.at, "0123456789.f") : 0;
  if (!n || !isdigit((unsigned char)*w->spot.at) ||
      *skip_blanks(w->spot.at + n) != '(')
    return false;
  w->word = xstrndup(w->spot.at, n);
  return true;
}

// ---- The table ----

static const struct nvrtc_words_row rows[] = {
#define WORDS(message, condition, text, sentence)                              \
  {message, condition, text, sentence},
#include "gpu/nvrtc/words/nvrtc_words_syntax.def"
#undef WORDS
};
const struct nvrtc_words_table nvrtc_words_syntax = {rows, LENGTH(rows)};
