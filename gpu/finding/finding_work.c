// SPDX-License-Identifier: Apache-2.0
// A loop that every thread runs whole. It is told only where nothing else can
// be: one loop from 0 to a number of the launch, in a source that nowhere asks
// which thread it is and has no other way to part the work.
#include "gpu/finding/finding_work.h"

#include <stdio.h>
#include <string.h>

#include "gpu/finding/finding.h"

enum { NAME = 32 };

struct loop {
  char index[NAME], bound[NAME];
  long long rounds;
  const char *body; // behind the header
};

// Is it given another value, or its address taken, behind `start`?
static bool is_changed(const char *start, const char *name) {
  size_t n = strlen(name);
  for (const char *at = start; (at = finding_find_name(at, start, name));
       at += n) {
    const char *before = at, *after = at + n + strspn(at + n, " \t\r\n");
    while (before > start && strchr(" \t\r\n", before[-1]))
      before--;
    char was = before > start ? before[-1] : 0;
    bool is_step = (after[0] == '+' || after[0] == '-') && after[1] == after[0];
    after += *after && strchr("+-*/%&|^", *after) != NULL;
    bool is_shift = (!strncmp(after, "<<=", 3) || !strncmp(after, ">>=", 3));
    bool is_set = after[0] == '=' && after[1] != '=';
    if (is_step || is_set || is_shift || was == '&' ||
        (was == '+' && before[-2] == '+') || (was == '-' && before[-2] == '-'))
      return true;
  }
  return false;
}

static const char *line_at(const char *source, int line) {
  for (; source && line > 1; line--)
    source = (source = strchr(source, '\n')) ? source + 1 : NULL;
  return source;
}

// for (int i = 0; i < n; i++)
static bool read_header(const char *line, struct loop *l) {
  char type[16], again[NAME], step[2 * NAME], plain[3][NAME + 4];
  int n = 0;
  line += strspn(line, " \t");
  if (sscanf(line,
             "for ( %15[a-z_] %31[A-Za-z0-9_] = 0 ; %31[A-Za-z0-9_] < "
             "%31[A-Za-z0-9_] ; %63[^) \n] )%n",
             type, l->index, again, l->bound, step, &n) != 5 ||
      !n || strcmp(l->index, again) != 0)
    return false;
  snprintf(plain[0], sizeof *plain, "%s++", l->index);
  snprintf(plain[1], sizeof *plain, "++%s", l->index);
  snprintf(plain[2], sizeof *plain, "%s+=1", l->index);
  l->body = line + n;
  return !strcmp(step, plain[0]) || !strcmp(step, plain[1]) ||
         !strcmp(step, plain[2]);
}

// Words that may give each thread its own part, or end a loop early; macros and
// headers, which may hold such words; and comments, which may hold loops.
static bool may_part(const char *source) {
  static const char *const words[] = {
      "threadIdx", "blockIdx", "atomic", "asm",  "#",  "while",
      "break",     "return",   "goto",   "exit", "/*", "trap"};
  const char *first = strstr(source, "for");
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strstr(source, words[i]))
      return true;
  return !first || strstr(first + 1, "for");
}

static bool find_loop(const struct finding_subject *s, struct loop *l) {
  const struct finding_scene *c = &s->scene;
  const char *line = c->source ? line_at(c->source, s->finding->at.line) : NULL;
  if (!line || !c->grid[0] || !c->block[0] || c->threads < 2 ||
      may_part(c->source) || !read_header(line, l) ||
      is_changed(c->source, l->bound) || is_changed(l->body, l->index))
    return false;
  for (int i = 0; i < c->number_count; i++)
    if (!strcmp(c->numbers[i].name, l->bound)) {
      l->rounds = c->numbers[i].value;
      return l->rounds > 1;
    }
  return false;
}

// Is the body one statement, array[i] = ..., that uses all arrays at [i]? Then
// each round may be another thread's.
static bool has_own_elements(const struct loop *l) {
  const char *at = l->body + strspn(l->body, " \t\r\n{"), *semicolon, *bracket;
  size_t n = strlen(l->index);
  semicolon = strchr(at, ';');
  if (!semicolon || semicolon[1 + strspn(semicolon + 1, " \t\r\n")] != '}')
    return false;
  bracket =
      at + strspn(at, "abcdefghijklmnopqrstuvwxyz_ABCDEFGHIJKLMNOPQRSTUVWX"
                      "YZ0123456789");
  if (bracket == at || *bracket != '[')
    return false;
  for (const char *c = at; c < semicolon; c++) {
    if (*c == '[' && (strncmp(c + 1, l->index, n) != 0 || c[n + 1] != ']'))
      return false;
    if (strchr("*&(", *c)) // a pointer, a call: who knows
      return false;
  }
  bracket += n + 2 + strspn(bracket + n + 2, " \t");
  bracket += strchr("+-/%|^", *bracket) != NULL;
  return bracket[0] == '=' && bracket[1] != '=';
}

static void add_way_out(struct str *out, const struct finding_scene *c,
                        const struct loop *l) {
  static const char mine[] = "blockIdx.x * blockDim.x + threadIdx.x";
  const char *i = l->index, *n = l->bound;
  bool is_row = c->grid[1] <= 1 && c->grid[2] <= 1 && c->block[1] <= 1 &&
                c->block[2] <= 1;
  if (!is_row || !has_own_elements(l))
    return;
  if (c->threads >= (uint64_t)l->rounds)
    str_addf(out, " Use int %s = %s; once, and if (%s < %s) for the loop.", i,
             mine, i, n);
  else
    str_addf(out,
             " Let each begin at its own: for (int %s = %s; %s < %s; "
             "%s += gridDim.x * blockDim.x)",
             i, mine, i, n, i);
}

bool finding_add_work(struct str *out, const struct finding_subject *s) {
  const struct finding_scene *c = &s->scene;
  struct loop l;
  if (s->finding->space != GPU_SPACE_NONE ||
      s->finding->severity != GPU_ERROR || !find_loop(s, &l))
    return false;
  uint64_t threads = 1;
  for (int k = 0; k < 3; k++)
    threads *= c->block[k] ? c->block[k] : 1;
  str_addf(out,
           "Every thread does all the work: %llu block%s x %llu threads x "
           "%s = %lld rounds of this loop.",
           (unsigned long long)(c->threads / threads),
           c->threads / threads == 1 ? "" : "s", (unsigned long long)threads,
           l.bound, l.rounds);
  add_way_out(out, c, &l);
  return true;
}
