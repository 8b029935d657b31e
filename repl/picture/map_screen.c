// SPDX-License-Identifier: Apache-2.0
// :map on a screen: one access, and keys that go to the others.
#include <string.h>

#include "base/mem.h"
#include "base/text/text.h"
#include "display/display.h"
#include "repl/picture/picture.h"

struct map_screen {
  struct map *m;
  struct map_view view;
  struct display *d;
  int first; // row of the picture at the top, where not all have room
  int shown; // of them
  bool is_help, is_over;
  const char *said; // instead of what a key would have done; NULL: nothing
};

static const struct display_key keys[] = {
#define KEY(name, word, help) {name, word, help},
#include "repl/picture/map_key.def"
#undef KEY
};
enum { KEYS = sizeof keys / sizeof *keys };

// ---- Drawing ----

// Neighbours among letters differ, so that a warp's cells are one patch.
static const enum display_role hues[] = {ROLE_GRAPH, ROLE_HUE_1, ROLE_PLAIN,
                                         ROLE_GOOD, ROLE_HUE_2};
enum { HUES = sizeof hues / sizeof *hues };

static enum display_role role_of(char c) {
  switch (c) {
  case '#': return ROLE_BAD;
  case '+': return ROLE_BUSY;
  case '.': return ROLE_QUIET;
  default: return hues[c % HUES];
  }
}

// Letters in their roles; the numbers before them are quiet.
static void put_row(const struct pane *p, int row, int column, const char *text,
                    size_t label) {
  for (size_t i = 0; text[i]; i++) {
    char one[2] = {text[i], 0};
    pane_put(p, row, column + (int)i, i < label ? ROLE_QUIET : role_of(text[i]),
             one);
  }
}

static void draw_rows(const struct pane *p, struct map_screen *s) {
  const struct map *m = s->m;
  int width = map_width(m, &s->view), room = p->rows - 1;
  bool is_two = room < m->shown_rows && p->columns > 2 * width;
  s->shown = is_two ? 2 * room : room;
  if (s->first > m->shown_rows - s->shown)
    s->first = m->shown_rows - s->shown;
  if (s->first < 0)
    s->first = 0;
  struct str text = STR_INIT;
  map_scale(m, &s->view, &text);
  pane_put(p, 0, 0, ROLE_QUIET, text.data);
  if (is_two)
    pane_put(p, 0, width + 1, ROLE_QUIET, text.data);
  // Both sides are as long, where all have room.
  int left =
      is_two && m->shown_rows <= s->shown ? (m->shown_rows + 1) / 2 : room;
  for (int y = 0; y < s->shown && s->first + y < m->shown_rows; y++) {
    bool is_right = y >= left;
    str_clear(&text);
    map_row(m, &s->view, s->first + y, &text);
    put_row(p, 1 + (is_right ? y - left : y), is_right ? width + 1 : 0,
            text.data, (size_t)(width - MAP_SIDE - 3));
  }
  str_free(&text);
}

// In the reader's language.
static void spell(struct str *text) {
  struct str said = STR_INIT;
  message_report(text->data, &said);
  str_free(text);
  *text = said;
}

static void put_text(const struct pane *p, int row, enum display_role role,
                     struct str *text) {
  pane_put(p, row, 0, role, text->data);
  str_clear(text);
}

// A legend that is too long goes on in the second row.
static void put_legend(const struct pane *p, struct str *text) {
  size_t fits = display_fit(text->data, p->columns);
  if (text->data[fits])
    while (fits && strncmp(text->data + fits, " · ", strlen(" · ")) != 0)
      fits--;
  char *rest = text->data + fits;
  if (*rest && fits) {
    pane_put(p, 1, 0, ROLE_PLAIN, rest + strlen(" · "));
    *rest = 0;
  }
  put_text(p, 0, ROLE_PLAIN, text);
}

static void add_way(const char *key, int64_t more, struct str *out) {
  if (more > 0)
    str_addf(out, "%s%s %lld", out->len ? ", " : "", key, (long long)more);
}

// How much more there is, by the keys that lead there.
static void add_more(const struct map_screen *s, struct str *out) {
  const struct map *m = s->m;
  const struct map_view *v = &s->view;
  struct str ways = STR_INIT;
  int64_t first = v->row + s->first, seen = m->shown_rows - s->first;
  add_way(message("up"), first, &ways);
  add_way(message("down"),
          m->rows - first - (seen < s->shown ? seen : s->shown), &ways);
  add_way("<", v->column, &ways);
  add_way(">", m->columns - v->column - MAP_SIDE, &ways);
  if (ways.len && map_is_matrix(m, v))
    str_addf(out, message("%lld x %lld cells · more: %s"), (long long)m->rows,
             (long long)m->columns, ways.data);
  else if (ways.len)
    str_addf(out, message("rows of 32 of %lld cells · more: %s"),
             (long long)m->cells, ways.data);
  str_free(&ways);
}

static void draw_foot(struct pane *p, struct map_screen *s) {
  struct str text = STR_INIT;
  struct pane legend = pane_cut_top(p, 2), part = pane_cut_top(p, 1);
  map_legend(s->m, &s->view, &text);
  spell(&text);
  put_legend(&legend, &text);
  add_more(s, &text);
  if (!text.len) {
    picture_add_missing(s->m->r, &text);
    spell(&text);
  }
  if (s->said)
    pane_put(&part, 0, 0, ROLE_BUSY, message(s->said));
  else
    pane_put(&part, 0, 0, ROLE_QUIET, text.data);
  pane_put_keys(p, 0, keys, KEYS);
  str_free(&text);
}

// The access and its line of source, which goes on in a second row where it is long.
static void draw_head(struct pane *p, struct map_screen *s) {
  struct str text = STR_INIT;
  if (!s->view.is_interval)
    picture_source_line(s->m->r, s->m->list[s->view.access].line, &text);
  size_t fits = display_fit_words(text.data, p->columns - 2);
  struct pane head = pane_cut_top(p, text.data[fits] ? 3 : 2);
  pane_put(&head, 2, 2, ROLE_PLAIN,
           text.data + fits + (text.data[fits] == ' '));
  if (text.len)
    text.data[fits] = 0;
  pane_put(&head, 1, 2, ROLE_PLAIN, text.data);
  str_clear(&text);
  map_title(s->m, &s->view, &text);
  spell(&text);
  put_text(&head, 0, ROLE_TITLE, &text);
  str_free(&text);
}

static void draw(struct map_screen *s) {
  struct pane p = display_begin(s->d);
  if (s->is_help) {
    pane_put_help(p, MESSAGE("The keys of :map"), keys, KEYS);
  } else {
    struct pane foot = pane_cut_bottom(&p, 4);
    map_draw(s->m, &s->view);
    draw_head(&p, s);
    draw_rows(&p, s);
    draw_foot(&foot, s);
  }
  display_show(s->d);
}

// ---- Keys ----

static void go_to(struct map_screen *s, int access) {
  if (access == s->view.access || access < 0 || access >= s->m->count) {
    s->said =
        access > s->view.access
            ? MESSAGE("This is the last access; left shows the one before.")
        : access < s->view.access
            ? MESSAGE("This is the first access; right shows the next.")
            : MESSAGE("There is no other.");
    return;
  }
  if (s->m->list[access].array != s->m->list[s->view.access].array) {
    s->view.row = s->view.column = 0;
    s->first = 0;
  }
  s->view.access = access;
}

// Rows of the picture first, then of the array.
static void scroll(struct map_screen *s, int by) {
  int last = s->m->shown_rows - s->shown;
  if (by > 0 && s->first < last)
    s->first = s->first + by < last ? s->first + by : last;
  else if (by < 0 && s->first > 0)
    s->first = s->first + by > 0 ? s->first + by : 0;
  else if (by > 0 && s->view.row + MAP_SIDE < s->m->rows)
    s->view.row += MAP_SIDE, s->first = 0;
  else if (by < 0 && s->view.row > 0)
    s->view.row -= MAP_SIDE, s->first = MAP_SIDE;
  else
    s->said =
        by > 0 ? MESSAGE("No rows are below.") : MESSAGE("No rows are above.");
}

static void move_columns(struct map_screen *s, int64_t by) {
  int64_t to = s->view.column + by;
  if (to >= 0 && to < s->m->columns)
    s->view.column = to;
  else
    s->said = MESSAGE("The array has no columns there.");
}

static void press_letter(struct map_screen *s, int key) {
  switch (key) {
  case 'w': s->view.letter = MAP_WARP; break;
  case 'l': s->view.letter = MAP_LANE; break;
  case 'b': s->view.letter = MAP_BLOCK; break;
  case 'a': go_to(s, map_next_array(s->m, s->view.access)); break;
  case 'i': s->view.is_interval = !s->view.is_interval; break;
  case '?': s->is_help = true; break;
  case '<': move_columns(s, -MAP_SIDE); break;
  case '>': move_columns(s, MAP_SIDE); break;
  case DISPLAY_PASTED:
    s->said = MESSAGE("Text is pasted at the prompt: q goes there.");
    break;
  default:
    s->said = MESSAGE("This key does nothing here: ? shows those that do.");
    break;
  }
}

static void press(struct map_screen *s, int key) {
  if (key == DISPLAY_INTERRUPT || key == DISPLAY_LEAVE || key == DISPLAY_GONE) {
    s->is_over = true;
    return;
  }
  if (s->is_help) {
    s->is_help = false;
    return;
  }
  switch (key) {
  case 'q':
  case DISPLAY_ESCAPE: s->is_over = true; break;
  case DISPLAY_LEFT: go_to(s, s->view.access - 1); break;
  case DISPLAY_RIGHT: go_to(s, s->view.access + 1); break;
  case DISPLAY_UP: scroll(s, -1); break;
  case DISPLAY_DOWN: scroll(s, 1); break;
  case DISPLAY_PAGE_UP: scroll(s, -MAP_SIDE); break;
  case DISPLAY_PAGE_DOWN: scroll(s, MAP_SIDE); break;
  case DISPLAY_HOME: go_to(s, 0); break;
  case DISPLAY_END: go_to(s, s->m->count - 1); break;
  default: press_letter(s, key); break;
  }
}

bool map_screen_fits(int columns, int rows) {
  return display_fits(columns, rows);
}

bool map_screen(struct map *m, struct map_view v, char **unread) {
  struct map_screen s = {.m = m, .view = v};
  struct err_info e;
  if (display_open(&s.d, &e))
    return false;
  draw(&s);
  while (!s.is_over) {
    int key = display_wait(s.d, -1, -1);
    s.said = NULL; // it may not be so in a window of another size
    if (key != DISPLAY_REDRAW)
      press(&s, key);
    if (!s.is_over)
      draw(&s);
  }
  *unread = xstrdup(display_unread(s.d));
  display_close(s.d);
  return true;
}
