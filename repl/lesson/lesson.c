// SPDX-License-Identifier: Apache-2.0
// Lessons: CommonMark to pages of prose and cells, through libcmark's tree.
#include "repl/lesson/lesson.h"

#include <cmark.h>
#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "base/str.h"
#include "base/text/text.h"
#include "grade/course/course.h"
#include "repl/lesson/header.h"
#include "repl/tui/tui.h"

enum { MAX_LESSON = 4 << 20, PAGE_LEVEL = 3 };

struct reader {
  struct lesson *l;
  const char *text;  // the whole file
  int skipped_lines; // of the header, before what cmark saw
  struct err_info *e;
  enum err err;
};

static void complain(struct reader *r, int line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static void complain(struct reader *r, int line, const char *fmt, ...) {
  char text[400];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  if (!r->err)
    r->err = err_set_at(r->e, ERR_ARGUMENT, r->l->path, line, 1, "%s", text);
}

// ---- Prose ----

static char mark_of(cmark_node_type type) {
  switch (type) {
  case CMARK_NODE_STRONG: return MARK_STRONG;
  case CMARK_NODE_EMPH: return MARK_EMPHASIS;
  default: return 0;
  }
}

static void add_code_span(const char *code, struct str *out) {
  str_add_char(out, MARK_CODE);
  str_add(out, code);
  str_add_char(out, MARK_END);
}

// The inlines under `node` as one text with marks; a link keeps its words and,
// where they differ, its address.
static char *inline_text(cmark_node *node) {
  struct str s = STR_INIT;
  cmark_iter *iter = cmark_iter_new(node);
  for (cmark_event_type ev; (ev = cmark_iter_next(iter)) != CMARK_EVENT_DONE;) {
    cmark_node *n = cmark_iter_get_node(iter);
    cmark_node_type type = cmark_node_get_type(n);
    bool entering = ev == CMARK_EVENT_ENTER;
    if (mark_of(type))
      str_add_char(&s, entering ? mark_of(type) : MARK_END);
    else if (type == CMARK_NODE_TEXT)
      str_add(&s, cmark_node_get_literal(n));
    else if (type == CMARK_NODE_CODE)
      add_code_span(cmark_node_get_literal(n), &s);
    else if (type == CMARK_NODE_SOFTBREAK)
      str_add_char(&s, ' ');
    else if (type == CMARK_NODE_LINEBREAK)
      str_add_char(&s, MARK_BREAK);
    else if (type == CMARK_NODE_LINK && !entering)
      str_addf(&s, " (%s)", cmark_node_get_url(n));
  }
  cmark_iter_free(iter);
  return str_take(&s);
}

// Lines [from, to] of the file as they stand, without trailing newline.
static char *source_lines(const struct reader *r, int from, int to) {
  const char *p = r->text;
  for (int line = 1; line < from && p; line++)
    p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL;
  const char *end = p;
  for (int line = from; line <= to && end && *end; line++)
    end = strchr(end, '\n') ? strchr(end, '\n') + 1 : end + strlen(end);
  if (!p)
    return xstrdup("");
  size_t n = (size_t)(end - p);
  while (n && p[n - 1] == '\n')
    n--;
  return xstrndup(p, n);
}

// ---- Items and pages ----

static struct lesson_item *add_item(struct reader *r, enum item_kind kind,
                                    int line) {
  struct lesson *l = r->l;
  if (l->page_count == 0) {
    complain(r, line, "text before the first page: pages begin with \"### \"");
    l->pages = xcalloc(1, sizeof *l->pages);
    l->pages[l->page_count++].title = xstrdup("");
  }
  l->items = xrealloc(l->items, (size_t)(l->item_count + 1) * sizeof *l->items);
  struct lesson_item *item = &l->items[l->item_count++];
  *item = (struct lesson_item){.kind = kind, .line = line};
  l->pages[l->page_count - 1].count++;
  return item;
}

// Who leaves the pages of Further out has read the lesson: no other page may
// stand behind one.
static void add_page(struct reader *r, char *title, int line) {
  struct lesson *l = r->l;
  bool is_further = str_starts(title, "Further: ");
  if (is_further && !l->page_count)
    complain(r, line, "the first page cannot be one of Further");
  else if (!is_further && l->page_count &&
           l->pages[l->page_count - 1].is_further)
    complain(r, line,
             "pages of Further are the last ones: move them behind this page");
  l->pages = xrealloc(l->pages, (size_t)(l->page_count + 1) * sizeof *l->pages);
  l->pages[l->page_count++] = (struct lesson_page){
      .title = title, .first = l->item_count, .is_further = is_further};
}

static int line_of(const struct reader *r, cmark_node *node) {
  return cmark_node_get_start_line(node) + r->skipped_lines;
}

static int last_line_of(const struct reader *r, cmark_node *node) {
  return cmark_node_get_end_line(node) + r->skipped_lines;
}

// ---- Cells ----

enum {
  QUIZ = 1 << ITEM_QUIZ,
  PREDICT = 1 << ITEM_PREDICT,
  TRY = 1 << ITEM_TRY
};

// The fields of cells that ask, and of which; a quiz has choices, too.
static const struct {
  const char *name;
  int kinds;
  size_t at;
} cell_fields[] = {
    {"ask", QUIZ | PREDICT | TRY, offsetof(struct lesson_item, ask)},
    {"explain", QUIZ | PREDICT | TRY, offsetof(struct lesson_item, explain)},
    {"from", PREDICT, offsetof(struct lesson_item, from)},
    {"check", TRY, offsetof(struct lesson_item, check)},
    {"answer", TRY, offsetof(struct lesson_item, answer)},
    {"hint", QUIZ | PREDICT, offsetof(struct lesson_item, hint)},
    {"review", QUIZ | PREDICT, offsetof(struct lesson_item, review)},
};
enum { CELL_FIELDS = sizeof cell_fields / sizeof *cell_fields };

// The field that the `n` bytes before the colon name; NULL: the cell has none.
static char **field_of(struct lesson_item *item, const char *name, size_t n) {
  for (int i = 0; i < CELL_FIELDS; i++)
    if ((cell_fields[i].kinds & 1 << item->kind) &&
        strlen(cell_fields[i].name) == n &&
        !strncmp(cell_fields[i].name, name, n))
      return (char **)((char *)item + cell_fields[i].at);
  return NULL;
}

static const char *kind_name(enum item_kind kind) {
  return kind == ITEM_QUIZ ? "quiz" : kind == ITEM_TRY ? "try" : "predict";
}

// The line is no field, no choice and goes on nothing.
static void complain_of_line(struct reader *r, const struct lesson_item *item,
                             int line, const char *p, size_t n) {
  const char *colon = memchr(p, ':', n);
  char *word = xstrndup(p, colon ? (size_t)(colon - p) : n);
  struct nearest near = nearest_to(word);
  char hint[NEAREST_HINT];
  struct str list = STR_INIT;
  for (int i = 0; i < CELL_FIELDS; i++)
    if (cell_fields[i].kinds & 1 << item->kind) {
      nearest_try(&near, cell_fields[i].name, strlen(cell_fields[i].name));
      str_addf(&list, "%s%s:", list.len ? ", " : "", cell_fields[i].name);
    }
  complain(r, line, "\"%.40s%s\" is no line of a %s, which has %s%s%s", word,
           colon ? ":" : "", kind_name(item->kind), list.data,
           item->kind == ITEM_QUIZ ? " and \"- choice\"" : "",
           nearest_hint(hint, &near, "", ":?"));
  str_free(&list);
  free(word);
}

static void add_choice(struct lesson_item *item, const char *text, size_t n) {
  bool is_right = n > 2 && !strncmp(text + n - 2, " *", 2);
  item->choices = xrealloc(item->choices, (size_t)(item->choice_count + 1) *
                                              sizeof *item->choices);
  item->choices[item->choice_count++] = (struct lesson_choice){
      str_trimmed(text, is_right ? n - 2 : n),
      is_right,
  };
}

// What is typed keeps its lines, and how they are indented but for two blanks.
static bool is_typed(const struct lesson_item *item, char **field) {
  return field == &item->answer || field == &item->check;
}

static void go_on(char **field, bool is_typed, const char *p, size_t n) {
  size_t indent = is_typed && n > 1 && p[1] == ' ' ? 2 : 1;
  char *more = is_typed ? xstrndup(p + indent, n - indent) : str_trimmed(p, n);
  char *old = *field;
  *field = xasprintf("%s%c%s", old, is_typed ? '\n' : ' ', more);
  free(old);
  free(more);
}

// "key: value" and "- choice" lines; a line led by blanks goes on the field
// above it.
static void read_fields(struct reader *r, struct lesson_item *item,
                        const char *text) {
  char **field = NULL;
  int line = item->line + 1;
  for (const char *p = text; *p; line++) {
    size_t n = strcspn(p, "\n");
    const char *colon = memchr(p, ':', n);
    size_t key = colon ? (size_t)(colon - p) : 0;
    char **named = field_of(item, p, key);
    if (named && *named) {
      complain(r, line, "%.*s: is there twice", (int)key, p);
    } else if (named) {
      field = named;
      *field = str_trimmed(p + key + 1, n - key - 1);
    } else if (n > 2 && p[0] == '-' && p[1] == ' ' && item->kind == ITEM_QUIZ) {
      add_choice(item, p + 2, n - 2);
      field = NULL;
    } else if (n && isspace((unsigned char)*p) && field) {
      go_on(field, is_typed(item, field), p, n);
    } else if (n) {
      complain_of_line(r, item, line, p, n);
    }
    p += n + (p[n] == '\n');
  }
}

static void check_fields(struct reader *r, const struct lesson_item *item) {
  int right = 0;
  for (int i = 0; i < item->choice_count; i++)
    right += item->choices[i].is_right;
  if (item->review && strcmp(item->review, "yes") != 0 &&
      strcmp(item->review, "no") != 0)
    complain(r, item->line, "review: is yes or no, not \"%.40s\"",
             item->review);
  if (!item->ask)
    complain(r, item->line, "no ask: line");
  else if (item->kind == ITEM_PREDICT && !item->from)
    complain(r, item->line, "a prediction needs a from: line");
  else if (item->kind == ITEM_TRY && !(item->check && item->answer))
    complain(r, item->line, "a try needs a check: and an answer: line");
  else if (item->kind == ITEM_QUIZ && (item->choice_count < 2 || right == 0))
    complain(r, item->line,
             "a quiz needs two choices, one of them right (ended by \" *\")");
}

// The kinds of cell: CELL(first words of the info string, kind, run, error)
static const struct {
  const char *info;
  enum item_kind kind;
  bool is_run, wants_error;
} cell_kinds[] = {
    {"lua run error", ITEM_LUA, true, true},
    {"lua run", ITEM_LUA, true, false},
    {"lua check", ITEM_CHECK, true, false},
    {"lua", ITEM_LUA, false, false},
    {"cuda run", ITEM_CUDA, true, false},
    {"cuda", ITEM_CUDA, false, false},
    {"quiz", ITEM_QUIZ, false, false},
    {"predict", ITEM_PREDICT, false, false},
    {"try", ITEM_TRY, false, false},
    {"exercise", ITEM_EXERCISE, false, false},
};

static void read_cell(struct reader *r, cmark_node *node, size_t kind,
                      const char *info) {
  int line = line_of(r, node);
  struct lesson_item *item = add_item(r, cell_kinds[kind].kind, line);
  item->is_run = cell_kinds[kind].is_run;
  item->wants_error = cell_kinds[kind].wants_error;
  const char *text = cmark_node_get_literal(node);
  if (item->kind == ITEM_EXERCISE) {
    const char *name = info + strlen("exercise");
    item->text = str_trimmed(name, strlen(name));
    if (!item->text[0])
      complain(r, line, "an exercise cell names its exercise: exercise NAME");
    return;
  }
  item->text = xstrdup(text);
  if (item->kind == ITEM_QUIZ || item->kind == ITEM_PREDICT ||
      item->kind == ITEM_TRY) {
    read_fields(r, item, text);
    check_fields(r, item);
  }
}

// The kind of cell that the info string is; `exercise` has a name behind it.
static int kind_of(const char *info) {
  for (size_t k = 0; k < sizeof cell_kinds / sizeof *cell_kinds; k++) {
    size_t n = strlen(cell_kinds[k].info);
    bool is_named = cell_kinds[k].kind == ITEM_EXERCISE;
    if (!strncmp(info, cell_kinds[k].info, n) &&
        (!info[n] || (is_named && info[n] == ' ')))
      return (int)k;
  }
  return -1;
}

// A block that is only shown has one word, the name of a language, or none:
// what is like a cell's is misspelt.
static void check_shown(struct reader *r, int line, const char *info) {
  struct nearest near = nearest_to(info);
  for (size_t k = 0; k < sizeof cell_kinds / sizeof *cell_kinds; k++)
    nearest_try(&near, cell_kinds[k].info, strlen(cell_kinds[k].info));
  if (near.name)
    complain(r, line, "\"%.60s\" is no cell; did you mean \"%s\"?", info,
             near.name);
  else if (strchr(info, ' '))
    complain(r, line,
             "\"%.60s\" is no cell (lessons/README.md has them), and a block "
             "that is only shown has one word",
             info);
}

// "picture The host has ...": what a drawing shows, for who cannot see it. NULL: the
// block is none.
static const char *picture_of(const char *info) {
  size_t n = strlen("picture");
  return info && !strncmp(info, "picture", n) && info[n] == ' ' ? info + n + 1
                                                                : NULL;
}

static void read_code(struct reader *r, cmark_node *node, int indent) {
  const char *info = cmark_node_get_fence_info(node);
  int line = line_of(r, node), kind = info ? kind_of(info) : -1;
  if (kind >= 0) {
    read_cell(r, node, (size_t)kind, info);
    return;
  }
  const char *picture = picture_of(info);
  if (info && !picture)
    check_shown(r, line, info);
  struct lesson_item *item = add_item(r, ITEM_VERBATIM, line);
  item->text = xstrdup(cmark_node_get_literal(node));
  item->spoken = picture ? xstrdup(picture) : NULL;
  item->indent = indent;
}

// ---- Blocks ----

// In a table, which stays as it stands, code is plain.
static void drop_backquotes(char *text) {
  char *to = text;
  for (; *text; text++)
    if (*text != '`')
      *to++ = *text;
  *to = 0;
}

static void read_paragraph(struct reader *r, cmark_node *node, int indent,
                           const char *lead) {
  int line = line_of(r, node);
  char *source = source_lines(r, line, last_line_of(r, node));
  // A table is no CommonMark, and reads well as it stands.
  bool is_table = source[0] == '|';
  struct lesson_item *item = add_item(r,
                                      is_table ? ITEM_VERBATIM
                                      : *lead  ? ITEM_BULLET
                                               : ITEM_PROSE,
                                      line);
  item->indent = indent;
  snprintf(item->lead, sizeof item->lead, "%s", lead);
  item->is_table = is_table;
  if (is_table) {
    drop_backquotes(source);
    item->text = source;
  } else {
    item->text = inline_text(node);
    free(source);
  }
}

static void read_block(struct reader *r, cmark_node *node, int indent,
                       const char *lead);

static void read_list(struct reader *r, cmark_node *list, int indent) {
  int number = cmark_node_get_list_start(list);
  bool is_ordered = cmark_node_get_list_type(list) == CMARK_ORDERED_LIST;
  for (cmark_node *item = cmark_node_first_child(list); item;
       item = cmark_node_next(item), number++) {
    char lead[8];
    snprintf(lead, sizeof lead, is_ordered ? "%d. " : "- ", number);
    int width = (int)strlen(lead);
    const char *first = lead;
    for (cmark_node *child = cmark_node_first_child(item); child;
         child = cmark_node_next(child)) {
      read_block(r, child, indent + width, first);
      first = "";
    }
  }
}

static void read_heading(struct reader *r, cmark_node *node) {
  int level = cmark_node_get_heading_level(node);
  if (level == 1)
    return; // the title once more, for readers on a code host
  char *title = inline_text(node);
  if (level == PAGE_LEVEL) {
    add_page(r, title, line_of(r, node));
  } else {
    add_item(r, ITEM_HEADING, line_of(r, node))->text = title;
  }
}

// Comments speak of their page to those who teach it and to `lesson test`.
static void read_comment(struct reader *r, cmark_node *node) {
  if (r->l->page_count && !r->err)
    r->err =
        header_comment(r->l, &r->l->pages[r->l->page_count - 1],
                       cmark_node_get_literal(node), line_of(r, node), r->e);
}

static void read_block(struct reader *r, cmark_node *node, int indent,
                       const char *lead) {
  switch (cmark_node_get_type(node)) {
  case CMARK_NODE_HEADING: read_heading(r, node); break;
  case CMARK_NODE_PARAGRAPH: read_paragraph(r, node, indent, lead); break;
  case CMARK_NODE_CODE_BLOCK: read_code(r, node, indent); break;
  case CMARK_NODE_LIST: read_list(r, node, indent); break;
  case CMARK_NODE_HTML_BLOCK: read_comment(r, node); break;
  case CMARK_NODE_BLOCK_QUOTE:
    for (cmark_node *child = cmark_node_first_child(node); child;
         child = cmark_node_next(child))
      read_block(r, child, indent + 2, "");
    break;
  default: // rules have no place on a terminal
    break;
  }
}

// ---- Whole lessons ----

enum err lesson_parse(const char *path, const char *text, struct lesson **out,
                      struct err_info *e) {
  struct lesson *l = xcalloc(1, sizeof *l);
  struct reader r = {.l = l, .text = text, .e = e};
  const char *slash = strrchr(path, '/');
  l->path = xstrdup(path);
  l->name = xstrdup(slash ? slash + 1 : path);
  const char *body = header_read(l, text, &r.skipped_lines, &r.err, e);
  cmark_node *document =
      cmark_parse_document(body, strlen(body), CMARK_OPT_VALIDATE_UTF8);
  for (cmark_node *node = cmark_node_first_child(document); node;
       node = cmark_node_next(node))
    read_block(&r, node, 0, "");
  cmark_node_free(document);
  if (l->page_count == 0)
    complain(&r, 1, "no page: pages begin with a heading \"### \"");
  if (r.err) {
    lesson_free(l);
    l = NULL;
  }
  *out = l;
  return r.err;
}

enum err lesson_load(const char *path, struct lesson **out,
                     struct err_info *e) {
  char *text;
  size_t bytes;
  *out = NULL;
  enum err err = file_read(path, MAX_LESSON, &text, &bytes, e);
  if (err)
    return err;
  err = lesson_parse(path, text, out, e);
  free(text);
  return err;
}

static void free_item(struct lesson_item *item) {
  free(item->text);
  free(item->ask);
  free(item->from);
  free(item->explain);
  free(item->hint);
  free(item->spoken);
  free(item->review);
  free(item->check);
  free(item->answer);
  for (int i = 0; i < item->choice_count; i++)
    free(item->choices[i].text);
  free(item->choices);
}

static void free_page(struct lesson_page *page) {
  free(page->title);
  free(page->notes);
  list_free(&page->teaches);
}

void lesson_free(struct lesson *l) {
  if (!l)
    return;
  for (int i = 0; i < l->item_count; i++) {
    free_item(&l->items[i]);
    if (l->played)
      free(l->played[i].shown);
  }
  free(l->played);
  for (int i = 0; i < l->page_count; i++)
    free_page(&l->pages[i]);
  list_free(&l->goals);
  list_free(&l->needs);
  list_free(&l->teaches);
  free(l->items);
  free(l->pages);
  free(l->path);
  free(l->name);
  free(l->title);
  free(l);
}

int lesson_needed_pages(const struct lesson *l) {
  int count = l->page_count;
  while (count > 0 && l->pages[count - 1].is_further)
    count--;
  return count;
}

int lesson_needed_items(const struct lesson *l) {
  int needed = lesson_needed_pages(l);
  return needed < l->page_count ? l->pages[needed].first : l->item_count;
}

// ---- The index ----

// The lesson in the reader's language, where the course has it: lessons/de/FILE.
static char *path_of(const struct course *c, const char *name) {
  const char *language = message_language();
  char *path = xasprintf("%s/lessons/%s/%s", c->folder, language, name);
  if (strcmp(language, "en") != 0 && !access(path, R_OK))
    return path;
  free(path);
  return xasprintf("%s/lessons/%s", c->folder, name);
}

enum err lesson_index_of(const struct course *c, struct lesson_index *out,
                         struct err_info *e) {
  char **names;
  memset(out, 0, sizeof *out);
  enum err err = course_index(c, "lessons", &names, &out->count, e);
  out->paths = xcalloc((size_t)out->count + 1, sizeof(char *));
  for (int i = 0; i < out->count; i++)
    out->paths[i] = path_of(c, names[i]);
  file_names_free(names, out->count);
  if (!err)
    err = course_parts(c, &out->parts, &out->part_count, e);
  return err;
}

enum err lesson_index_load(struct lesson_index *out, struct err_info *e) {
  struct course *c;
  memset(out, 0, sizeof *out);
  enum err err = course_in_use(&c, e);
  if (!err)
    err = lesson_index_of(c, out, e);
  course_free(c);
  return err;
}

int lesson_number_at(const struct lesson_index *index, int at) {
  const char *slash = strrchr(index->paths[at], '/');
  int number = atoi(slash ? slash + 1 : index->paths[at]);
  return number > 0 ? number : at + 1;
}

int lesson_find(const struct lesson_index *index, int number) {
  for (int i = 0; i < index->count; i++)
    if (lesson_number_at(index, i) == number)
      return i;
  return -1;
}

const struct course_part *lesson_part_at(const struct lesson_index *index,
                                         int at) {
  for (int i = 0; i < index->part_count; i++) {
    const struct course_part *part = &index->parts[i];
    if (at >= part->first && at < part->first + part->count)
      return part;
  }
  return NULL;
}

void lesson_index_free(struct lesson_index *index) {
  course_parts_free(index->parts, index->part_count);
  index->parts = NULL;
  index->part_count = 0;
  for (int i = 0; i < index->count; i++)
    free(index->paths[i]);
  free(index->paths);
  index->paths = NULL;
  index->count = 0;
}
