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
  // Where the picture's rows are: from `halves` on they stand to the right.
  struct pane rows;
  int halves;
  // The cell that was chosen, of the array.
  bool has_cell;
  int64_t cell_row, cell_column;
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

// The columns before the first cell.
static int label_width(const struct map_screen *s) {
  return map_width(s->m, &s->view) - MAP_SIDE - 3;
}

// The cell that was chosen, where it is to be seen.
static void put_cell(const struct map_screen *s) {
  int64_t y = s->cell_row - s->view.row - s->first,
          x = s->cell_column - s->view.column;
  if (!s->has_cell || y < 0 || y >= s->shown || x < 0 || x >= MAP_SIDE)
    return;
  bool is_right = y >= s->halves;
  char one[2] = {s->m->cell[y + s->first][x], 0};
  pane_put(&s->rows, (int)(1 + (is_right ? y - s->halves : y)),
           (is_right ? map_width(s->m, &s->view) + 1 : 0) + label_width(s) +
               (int)(x + x / 8),
           ROLE_SELECTED, one);
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
            text.data, (size_t)label_width(s));
  }
  s->rows = *p;
  s->halves = left;
  put_cell(s);
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
  if (s->has_cell) {
    map_cell(s->m, &s->view, s->cell_row * s->m->columns + s->cell_column,
             &text);
  } else {
    map_legend(s->m, &s->view, &text);
    spell(&text);
  }
  put_legend(&legend, &text);
  if (s->has_cell)
    str_add(
        &text,
        message("arrows move · n, p: other accesses · Esc lets the cell go"));
  else
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
    s->has_cell = false;
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

// ---- A cell ----

static bool is_cell(const struct map_screen *s, int64_t row, int64_t column) {
  return row >= 0 && column >= 0 && column < s->m->columns &&
         row * s->m->columns + column < s->m->cells;
}

// The part of the array and of its picture in which it is.
static void look_at_cell(struct map_screen *s) {
  int in_view = (int)(s->cell_row % MAP_SIDE);
  s->view.row = s->cell_row - in_view;
  s->view.column = s->cell_column - s->cell_column % MAP_SIDE;
  if (in_view < s->first)
    s->first = in_view;
  if (in_view >= s->first + s->shown)
    s->first = in_view - s->shown + 1;
}

static void choose_cell(struct map_screen *s, int64_t row, int64_t column) {
  if (!is_cell(s, row, column)) {
    s->said = MESSAGE("The array has no cell there.");
    return;
  }
  s->has_cell = true;
  s->cell_row = row;
  s->cell_column = column;
  look_at_cell(s);
}

static void click(struct map_screen *s) {
  int row, column, width = map_width(s->m, &s->view) + 1;
  display_clicked(s->d, &row, &column);
  int y = row - s->rows.row - 1, x = column - s->rows.column;
  bool has_halves = s->halves < s->shown, is_right = has_halves && x >= width;
  x -= label_width(s) + (is_right ? width : 0);
  if (y < 0 || y >= (has_halves ? s->halves : s->rows.rows - 1) || x < 0 ||
      x % 9 == 8 || x - x / 9 >= MAP_SIDE)
    return;
  y += s->first + (is_right ? s->halves : 0);
  if (y < s->m->shown_rows)
    choose_cell(s, s->view.row + y, s->view.column + x - x / 9);
}

// False: the key does nothing else where a cell is chosen.
static bool press_at_cell(struct map_screen *s, int key) {
  int64_t row = s->cell_row, column = s->cell_column;
  switch (key) {
  case 'c':
  case DISPLAY_ESCAPE: s->has_cell = false; return true;
  case DISPLAY_LEFT: column--; break;
  case DISPLAY_RIGHT: column++; break;
  case DISPLAY_UP: row--; break;
  case DISPLAY_DOWN: row++; break;
  case DISPLAY_PAGE_UP: row -= MAP_SIDE; break;
  case DISPLAY_PAGE_DOWN: row += MAP_SIDE; break;
  case '<': column -= MAP_SIDE; break;
  case '>': column += MAP_SIDE; break;
  default: return false;
  }
  choose_cell(s, row, column);
  return true;
}

static void press_letter(struct map_screen *s, int key) {
  switch (key) {
  case 'w': s->view.letter = MAP_WARP; break;
  case 'l': s->view.letter = MAP_LANE; break;
  case 'b': s->view.letter = MAP_BLOCK; break;
  case 'a': go_to(s, map_next_array(s->m, s->view.access)); break;
  case 'i': s->view.is_interval = !s->view.is_interval; break;
  case 'n': go_to(s, s->view.access + 1); break;
  case 'p': go_to(s, s->view.access - 1); break;
  case 'c': choose_cell(s, s->view.row + s->first, s->view.column); break;
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
  if (s->has_cell && press_at_cell(s, key))
    return;
  switch (key) {
  case DISPLAY_CLICK: click(s); break;
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
  display_take_clicks(s.d);
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
