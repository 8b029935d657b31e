// SPDX-License-Identifier: Apache-2.0
// Makes the pages of the site: site LIST OUT. LIST has a line for each page, in
// the order in which they are read, with tabs between
//   SOURCE  its path as links name it: docs/np.md
//   FILE    where its Markdown lies
//   GROUP   pages of one group have "previous" and "next" to each other
//   TITLE
//   NAMES   words that lead to it where they stand as `code`, blanks between
// SOURCE becomes OUT/docs/np.html, and README.md index.html. cmark reads Markdown;
// tables, which CommonMark lacks, are read here.
#include <cmark.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "repl/edit/edit.h"

enum { MAX_PAGE_BYTES = 4 << 20, OPTIONS = CMARK_OPT_UNSAFE };

struct page {
  char *source, *file, *group, *title, *names, *out;
};

struct site {
  struct page *pages;
  int count;
  const struct page *page; // the one at hand
  char **lines;            // of its Markdown
  int line_count;
  struct str contents; // a list of its headings
  int headings;
  char **ids; // that its headings have
  int id_count;
};

static _Noreturn void die(const char *what, const char *name) {
  fprintf(stderr, "site: %s: %s\n", name, what);
  exit(1);
}

static void add_escaped(struct str *out, const char *text, size_t bytes) {
  for (size_t i = 0; i < bytes; i++)
    switch (text[i]) {
    case '&': str_add(out, "&amp;"); break;
    case '<': str_add(out, "&lt;"); break;
    case '>': str_add(out, "&gt;"); break;
    case '"': str_add(out, "&quot;"); break;
    default: str_add_char(out, text[i]);
    }
}

// ---- The list of pages ----

// "docs/np.md" -> "docs/np.html", "docs/README.md" -> "docs/index.html"
static char *output_name(const char *source) {
  size_t n = strlen(source) - strlen(".md");
  if (!str_ends(source, ".md"))
    die("a page's name ends in .md", source);
  if (n >= 6 && !strncmp(source + n - 6, "README", 6))
    return xasprintf("%.*sindex.html", (int)(n - 6), source);
  return xasprintf("%.*s.html", (int)n, source);
}

static char *next_field(char **rest) {
  char *field = *rest, *tab = strchr(field, '\t');
  if (!tab)
    die("the list of pages has a line with too few fields", field);
  *tab = 0;
  *rest = tab + 1;
  return field;
}

static void read_list(struct site *s, const char *path) {
  struct err_info e = {0};
  char *text;
  size_t bytes;
  if (file_read(path, MAX_PAGE_BYTES, &text, &bytes, &e))
    die(e.text, path);
  for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
    s->pages = xrealloc(s->pages, (size_t)(s->count + 1) * sizeof *s->pages);
    struct page *p = &s->pages[s->count++];
    p->source = next_field(&line);
    p->file = next_field(&line);
    p->group = next_field(&line);
    p->title = next_field(&line);
    p->names = line;
    p->out = output_name(p->source);
  }
}

static const struct page *page_of(const struct site *s, const char *source) {
  for (int i = 0; i < s->count; i++)
    if (!strcmp(s->pages[i].source, source))
      return &s->pages[i];
  return NULL;
}

static bool has_word(const char *words, const char *word, size_t bytes) {
  for (const char *w = words; *w;) {
    size_t n = strcspn(w, " ");
    if (n == bytes && !strncmp(w, word, n))
      return true;
    w += n + strspn(w + n, " ");
  }
  return false;
}

// The page that a word of code is about: "np.zeros(3)", ":time EXPR", "?np.zeros".
static const struct page *page_named(const struct site *s, const char *code) {
  code += strspn(code, "?");
  size_t n = strcspn(code, *code == ':' ? " [" : "(");
  for (int i = 0; n && i < s->count; i++)
    if (has_word(s->pages[i].names, code, n))
      return &s->pages[i];
  return NULL;
}

// ---- Links ----

// "../" for each folder above `out`.
static void add_way_up(struct str *url, const char *out) {
  for (; (out = strchr(out, '/')); out++)
    str_add(url, "../");
}

static char *url_of(const struct site *s, const struct page *to,
                    const char *anchor) {
  struct str url = STR_INIT;
  add_way_up(&url, s->page->out);
  str_addf(&url, "%s%s", to->out, anchor);
  return str_take(&url);
}

// `relative`, as the page at hand names it, from the root: no "." and "..".
static char *from_root(const struct site *s, const char *relative) {
  struct str path = STR_INIT;
  const char *slash = strrchr(s->page->source, '/');
  str_add_bytes(&path, s->page->source,
                slash ? (size_t)(slash - s->page->source) : 0);
  while (*relative) {
    size_t n = strcspn(relative, "/");
    if (n == 2 && !strncmp(relative, "..", 2)) {
      const char *last = strrchr(path.data, '/');
      size_t kept = last ? (size_t)(last - path.data) : 0;
      char *above = xstrndup(path.data, kept);
      str_clear(&path);
      str_add(&path, above);
      free(above);
    } else if (n && !(n == 1 && *relative == '.')) {
      str_addf(&path, "%s%.*s", path.len ? "/" : "", (int)n, relative);
    }
    relative += n + (relative[n] == '/');
  }
  return str_take(&path);
}

static bool is_external(const char *url) {
  return strstr(url, "://") || str_starts(url, "mailto:");
}

static void point_link(const struct site *s, cmark_node *link) {
  const char *url = cmark_node_get_url(link);
  size_t n = strcspn(url, "#");
  if (is_external(url) || !n)
    return;
  char *relative = xstrndup(url, n);
  char *source = from_root(s, relative);
  const struct page *to = page_of(s, source);
  if (!to)
    die(xasprintf("a link to %s, which is no page of the site", url),
        s->page->source);
  char *new_url = url_of(s, to, url + n);
  cmark_node_set_url(link, new_url);
  free(new_url);
  free(source);
  free(relative);
}

static bool is_inside(cmark_node *node, cmark_node_type type) {
  while ((node = cmark_node_parent(node)))
    if (cmark_node_get_type(node) == type)
      return true;
  return false;
}

// `np.zeros` leads to its page.
static void link_code(const struct site *s, cmark_node *code) {
  const struct page *to = page_named(s, cmark_node_get_literal(code));
  if (!to || to == s->page || is_inside(code, CMARK_NODE_LINK) ||
      is_inside(code, CMARK_NODE_HEADING) ||
      is_inside(code, CMARK_NODE_CUSTOM_BLOCK))
    return;
  cmark_node *link = cmark_node_new(CMARK_NODE_LINK);
  char *url = url_of(s, to, "");
  cmark_node_set_url(link, url);
  free(url);
  cmark_node_insert_before(code, link);
  cmark_node_unlink(code);
  cmark_node_append_child(link, code);
}

// ---- Headings ----

static void add_text(cmark_node *node, struct str *out) {
  cmark_iter *it = cmark_iter_new(node);
  for (cmark_event_type ev; (ev = cmark_iter_next(it)) != CMARK_EVENT_DONE;) {
    cmark_node *at = cmark_iter_get_node(it);
    cmark_node_type type = cmark_node_get_type(at);
    if (ev == CMARK_EVENT_ENTER &&
        (type == CMARK_NODE_TEXT || type == CMARK_NODE_CODE))
      str_add(out, cmark_node_get_literal(at));
    else if (type == CMARK_NODE_SOFTBREAK)
      str_add_char(out, ' ');
  }
  cmark_iter_free(it);
}

static bool has_id(const struct site *s, const char *id) {
  for (int i = 0; i < s->id_count; i++)
    if (!strcmp(s->ids[i], id))
      return true;
  return false;
}

// As code hosts make them: small letters, blanks as "-", without marks; the second
// of a name ends in "-1".
static const char *id_of(struct site *s, const char *text) {
  struct str plain = STR_INIT;
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    if (c == ' ')
      str_add_char(&plain, '-');
    else if (isalnum(c) || c == '-' || c == '_' || c >= 0x80)
      str_add_char(&plain, (char)tolower(c));
  }
  char *base = str_take(&plain), *id = xstrdup(*base ? base : "section");
  for (int i = 1; has_id(s, id); i++) {
    free(id);
    id = xasprintf("%s-%d", base, i);
  }
  free(base);
  s->ids = xrealloc(s->ids, (size_t)(s->id_count + 1) * sizeof *s->ids);
  s->ids[s->id_count++] = id;
  return id;
}

static void anchor_heading(struct site *s, cmark_node *heading) {
  int level = cmark_node_get_heading_level(heading);
  struct str text = STR_INIT;
  add_text(heading, &text);
  const char *id = id_of(s, text.data);
  if (level == 2 || level == 3) {
    s->headings++;
    str_addf(&s->contents, "<li class=\"h%d\"><a href=\"#%s\">", level, id);
    add_escaped(&s->contents, text.data, text.len);
    str_add(&s->contents, "</a></li>\n");
  }
  cmark_node *block = cmark_node_new(CMARK_NODE_CUSTOM_BLOCK);
  char *enter = xasprintf("<h%d id=\"%s\">", level, id);
  char *leave = xasprintf("<a class=\"anchor\" href=\"#%s\" "
                          "aria-label=\"link to this heading\">#</a></h%d>",
                          id, level);
  cmark_node_set_on_enter(block, enter);
  cmark_node_set_on_exit(block, leave);
  free(enter);
  free(leave);
  cmark_node_insert_before(heading, block);
  for (cmark_node *child; (child = cmark_node_first_child(heading));)
    cmark_node_append_child(block, child);
  cmark_node_unlink(heading);
  cmark_node_free(heading);
  str_free(&text);
}

// ---- Code in colours ----

static bool always(const char *line) {
  (void)line;
  return true;
}
static bool never(const char *line) {
  (void)line;
  return false;
}

static void add_coloured(struct str *html, const char *text,
                         const unsigned char *styles) {
  static const char *const classes[EDIT_STYLES] = {
      [EDIT_STYLE_KEYWORD] = "k", [EDIT_STYLE_STRING] = "s",
      [EDIT_STYLE_NUMBER] = "n",  [EDIT_STYLE_COMMENT] = "c",
      [EDIT_STYLE_BUILTIN] = "b", [EDIT_STYLE_COMMAND] = "k"};
  for (size_t at = 0, n; text[at]; at += n) {
    for (n = 1; text[at + n] && styles[at + n] == styles[at];)
      n++;
    const char *class = classes[styles[at]];
    if (class)
      str_addf(html, "<span class=\"%s\">", class);
    add_escaped(html, text + at, n);
    if (class)
      str_add(html, "</span>");
  }
}

// As the prompt colours it.
static void colour_code(cmark_node *block) {
  const char *language = cmark_node_get_fence_info(block);
  const char *text = cmark_node_get_literal(block);
  bool is_cuda = str_starts(language, "cuda");
  if (!*text || (!is_cuda && !str_starts(language, "lua")))
    return;
  unsigned char *styles = xcalloc(strlen(text), 1);
  edit_colour(text, is_cuda ? always : never, styles);
  struct str html = STR_INIT;
  str_add(&html, "<pre><code>");
  add_coloured(&html, text, styles);
  str_add(&html, "</code></pre>\n");
  cmark_node *coloured = cmark_node_new(CMARK_NODE_HTML_BLOCK);
  cmark_node_set_literal(coloured, html.data);
  cmark_node_replace(block, coloured);
  cmark_node_free(block);
  str_free(&html);
  free(styles);
}

// ---- Everything but tables ----

// Notes to instructors are not for readers.
static void drop_comment(cmark_node *node) {
  const char *text = cmark_node_get_literal(node);
  if (str_starts(text, "<!--")) {
    cmark_node_unlink(node);
    cmark_node_free(node);
  }
}

static void mend_node(struct site *s, cmark_node *node) {
  switch (cmark_node_get_type(node)) {
  case CMARK_NODE_HTML_BLOCK:
  case CMARK_NODE_HTML_INLINE: drop_comment(node); break;
  case CMARK_NODE_CODE_BLOCK: colour_code(node); break;
  case CMARK_NODE_CODE: link_code(s, node); break;
  case CMARK_NODE_LINK: point_link(s, node); break;
  case CMARK_NODE_HEADING: anchor_heading(s, node); break;
  default: break;
  }
}

// Nodes in the order in which they end: a heading is left after its children.
static cmark_node **nodes_of(cmark_node *document, int *count) {
  cmark_node **nodes = NULL;
  cmark_iter *it = cmark_iter_new(document);
  *count = 0;
  for (cmark_event_type ev; (ev = cmark_iter_next(it)) != CMARK_EVENT_DONE;) {
    cmark_node *node = cmark_iter_get_node(it);
    bool has_exit = cmark_node_first_child(node) != NULL;
    if (ev == CMARK_EVENT_ENTER && has_exit)
      continue;
    if (*count && nodes[*count - 1] == node)
      continue; // a container without children is entered and left
    nodes = xrealloc(nodes, (size_t)(*count + 1) * sizeof *nodes);
    nodes[(*count)++] = node;
  }
  cmark_iter_free(it);
  return nodes;
}

static void mend(struct site *s, cmark_node *document) {
  int count;
  cmark_node **nodes = nodes_of(document, &count);
  for (int i = 0; i < count; i++)
    mend_node(s, nodes[i]);
  free(nodes);
}

// ---- Tables ----

// A cell's text as HTML, without the <p> that it is made to begin with.
static void add_cell(struct site *s, struct str *html, const char *tag,
                     const char *text, size_t bytes) {
  char *trimmed = str_trimmed(text, bytes);
  struct str plain = STR_INIT; // "\|" is a bar
  str_add(&plain, "x ");       // or "#" alone would be a heading
  for (const char *p = trimmed; *p; p++)
    if (!(p[0] == '\\' && p[1] == '|'))
      str_add_char(&plain, *p);
  cmark_node *cell = cmark_parse_document(plain.data, plain.len, OPTIONS);
  mend(s, cell);
  char *inside = cmark_render_html(cell, OPTIONS);
  size_t before = strlen("<p>x"), n = strlen(inside);
  before += inside[before] == ' ';
  str_addf(html, "<%s>%.*s</%s>", tag, (int)(n - before - strlen("</p>\n")),
           inside + before, tag);
  free(inside);
  cmark_node_free(cell);
  str_free(&plain);
  free(trimmed);
}

static void add_row(struct site *s, struct str *html, const char *tag,
                    const char *line) {
  str_add(html, "<tr>");
  line += strspn(line, " ") + 1;
  while (line[strspn(line, " ")]) {
    size_t n = 0;
    while (line[n] && !(line[n] == '|' && (n == 0 || line[n - 1] != '\\')))
      n++;
    add_cell(s, html, tag, line, n);
    line += n + (line[n] == '|');
  }
  str_add(html, "</tr>\n");
}

static bool is_row(const char *line) {
  return line[strspn(line, " ")] == '|';
}

// "|---|---|"
static bool is_rule(const char *line) {
  return is_row(line) && line[strspn(line, " |:-")] == 0 && strchr(line, '-');
}

static bool is_table(const struct site *s, cmark_node *node) {
  int from = cmark_node_get_start_line(node);
  int to = cmark_node_get_end_line(node);
  return cmark_node_get_type(node) == CMARK_NODE_PARAGRAPH && from >= 1 &&
         to <= s->line_count && to > from && is_row(s->lines[from - 1]) &&
         is_rule(s->lines[from]);
}

static void set_table(struct site *s, cmark_node *paragraph) {
  int from = cmark_node_get_start_line(paragraph);
  int to = cmark_node_get_end_line(paragraph);
  struct str html = STR_INIT;
  str_add(&html, "<div class=\"table\"><table>\n<thead>\n");
  add_row(s, &html, "th", s->lines[from - 1]);
  str_add(&html, "</thead>\n<tbody>\n");
  for (int i = from + 1; i < to; i++)
    add_row(s, &html, "td", s->lines[i]);
  str_add(&html, "</tbody>\n</table></div>\n");
  cmark_node *block = cmark_node_new(CMARK_NODE_HTML_BLOCK);
  cmark_node_set_literal(block, html.data);
  cmark_node_replace(paragraph, block);
  cmark_node_free(paragraph);
  str_free(&html);
}

static void set_tables(struct site *s, cmark_node *document) {
  int count;
  cmark_node **nodes = nodes_of(document, &count);
  for (int i = 0; i < count; i++)
    if (is_table(s, nodes[i]))
      set_table(s, nodes[i]);
  free(nodes);
}

// ---- One page ----

static void split_lines(struct site *s, const char *text) {
  for (s->line_count = 0; *text; s->line_count++) {
    size_t n = strcspn(text, "\n");
    s->lines =
        xrealloc(s->lines, (size_t)(s->line_count + 1) * sizeof *s->lines);
    s->lines[s->line_count] = xstrndup(text, n);
    text += n + (text[n] == '\n');
  }
}

static void forget_page(struct site *s) {
  for (int i = 0; i < s->line_count; i++)
    free(s->lines[i]);
  for (int i = 0; i < s->id_count; i++)
    free(s->ids[i]);
  s->line_count = s->id_count = s->headings = 0;
  str_clear(&s->contents);
}

static void add_link(const struct site *s, struct str *html, const char *rel,
                     const struct page *to, const char *text) {
  char *url = url_of(s, to, "");
  str_addf(html, "<a%s%s%s href=\"%s\">", rel ? " rel=\"" : "", rel ? rel : "",
           rel ? "\"" : "", url);
  add_escaped(html, text, strlen(text));
  str_add(html, "</a>");
  free(url);
}

// The first page of each group, which lists the others.
static void add_groups(const struct site *s, struct str *html) {
  str_add(html, "<nav class=\"groups\" aria-label=\"parts\">\n<ul>\n");
  for (int i = 0; i < s->count; i++) {
    const struct page *p = &s->pages[i];
    if (i && !strcmp(p->group, p[-1].group))
      continue;
    bool is_here = !strcmp(p->group, s->page->group);
    str_add(html, is_here ? "<li class=\"here\">" : "<li>");
    add_link(s, html, NULL, p, p->group);
    str_add(html, "</li>\n");
  }
  str_add(html, "</ul>\n</nav>\n");
}

static void add_neighbours(const struct site *s, struct str *html) {
  const struct page *end = s->pages + s->count, *p = s->page;
  str_add(html,
          "<nav class=\"neighbours\" aria-label=\"pages beside this\">\n");
  if (p > s->pages && !strcmp(p[-1].group, p->group)) {
    str_add(html, "<p>previous: ");
    add_link(s, html, "prev", p - 1, p[-1].title);
    str_add(html, "</p>\n");
  }
  if (p + 1 < end && !strcmp(p[1].group, p->group)) {
    str_add(html, "<p>next: ");
    add_link(s, html, "next", p + 1, p[1].title);
    str_add(html, "</p>\n");
  }
  str_add(html, "</nav>\n");
}

static void add_head(const struct site *s, struct str *html) {
  str_add(html, "<!doctype html>\n<html lang=\"en\">\n<head>\n"
                "<meta charset=\"utf-8\">\n<title>");
  add_escaped(html, s->page->title, strlen(s->page->title));
  str_add(html, " - warpshop</title>\n<meta name=\"viewport\" "
                "content=\"width=device-width, initial-scale=1\">\n"
                "<meta name=\"color-scheme\" content=\"light dark\">\n"
                "<link rel=\"stylesheet\" href=\"");
  add_way_up(html, s->page->out);
  str_add(html, "style.css\">\n</head>\n<body>\n"
                "<a class=\"skip\" href=\"#page\">to the page</a>\n");
  add_groups(s, html);
}

static void write_page(struct site *s, const char *out, const char *body) {
  struct str html = STR_INIT;
  struct err_info e = {0};
  add_head(s, &html);
  if (s->headings > 2)
    str_addf(&html,
             "<nav class=\"contents\" aria-label=\"on this page\">\n<ul>\n%s"
             "</ul>\n</nav>\n",
             s->contents.data);
  str_addf(&html, "<main id=\"page\">\n%s</main>\n", body);
  add_neighbours(s, &html);
  str_add(&html, "</body>\n</html>\n");
  char *path = xasprintf("%s/%s", out, s->page->out);
  char *folder = xstrndup(path, (size_t)(strrchr(path, '/') - path));
  if (file_make_folder(folder, &e) ||
      file_write(path, html.data, html.len, 0644, &e))
    die(e.text, path);
  free(folder);
  free(path);
  str_free(&html);
}

static void make_page(struct site *s, const struct page *p, const char *out) {
  struct err_info e = {0};
  char *text;
  size_t bytes;
  if (file_read(p->file, MAX_PAGE_BYTES, &text, &bytes, &e))
    die(e.text, p->file);
  s->page = p;
  split_lines(s, text);
  cmark_node *document = cmark_parse_document(text, bytes, OPTIONS);
  set_tables(s, document);
  mend(s, document);
  char *body = cmark_render_html(document, OPTIONS);
  write_page(s, out, body);
  free(body);
  cmark_node_free(document);
  free(text);
  forget_page(s);
}

int main(int argc, char **argv) {
  struct site s = {.contents = STR_INIT};
  if (argc != 3)
    die("usage: site LIST OUT", argv[0]);
  read_list(&s, argv[1]);
  for (int i = 0; i < s.count; i++)
    make_page(&s, &s.pages[i], argv[2]);
  printf("%d pages\n", s.count);
  return 0;
}
