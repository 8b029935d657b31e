// SPDX-License-Identifier: Apache-2.0
// The debugger's screen, drawn whole from what is known.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text/text.h"
#include "repl/debugger/draw.h"
#include "repl/debugger/screen.h"
#include "repl/debugger/stop.h"

static const struct display_key keys[] = {
#define KEY(name, word, help) {name, word, help},
#include "repl/debugger/key.def"
#undef KEY
};
enum { KEYS = sizeof keys / sizeof *keys };
enum {
  LEGEND_BESIDE = 96
}; // columns from which on it is not below the letters

// ---- Texts ----

const char *screen_line_of(const char *source, int line, size_t *bytes) {
  for (; line > 1 && *source; line--) {
    source += strcspn(source, "\n");
    source += *source == '\n';
  }
  *bytes = strcspn(source, "\n");
  return source;
}

int screen_count_lines(const char *source) {
  int lines = 0;
  for (; source[strspn(source, "\n")]; lines++) {
    source += strcspn(source, "\n");
    source += *source == '\n';
  }
  return lines;
}

static int put_bytes(const struct pane *p, int row, enum display_role role,
                     const char *text, size_t bytes) {
  char *copy = xstrndup(text, bytes);
  int column = pane_put(p, row, 0, role, copy);
  free(copy);
  return column;
}

// The rows of a text from row `first` on; how many it has in all.
static int put_text(const struct pane *p, int first, enum display_role role,
                    const char *text) {
  int row = 0;
  size_t skip;
  for (; *text; row++) {
    size_t n = cells_wrap(text, p->columns, &skip);
    if (row >= first && row - first < p->rows)
      put_bytes(p, row - first, role, text, n);
    text += n + skip;
  }
  return row;
}

static struct pane part(const struct debug_screen *s, struct layout_box b) {
  return (struct pane){s->d, b.row, b.column, b.rows, b.columns};
}

// A panel's heading, the chosen one's marked. What is left is the panel's own.
static void put_heading(const struct debug_screen *s, struct pane *p,
                        enum panel which, const char *text) {
  struct pane row = pane_cut_top(p, 1);
  bool is_chosen = s->chosen == which;
  const char *rule = MB_CUR_MAX > 1 ? "─" : "-";
  struct str line = STR_INIT;
  if (is_chosen) {
    str_addf(&line, "> %s", text);
    pane_put_row(&row, 0, ROLE_SELECTED, line.data);
  } else {
    int at = pane_put(&row, 0, 0, ROLE_QUIET, rule);
    at = pane_put(&row, 0, at + 1, ROLE_TITLE, text) + 1;
    while (at++ < row.columns)
      str_add(&line, rule);
    pane_put_right(&row, 0, ROLE_QUIET, line.data);
  }
  str_free(&line);
}

// ---- Title and finding ----

static void add_triple(lua_State *L, const char *what, const char *name,
                       struct str *out) {
  str_add(out, message(what));
  stop_add_triple(L, name, out);
}

// " breakpoint 1": why it stopped, where it is more than a step.
static void add_reason(const char *reason, int number, struct str *out) {
  static const struct {
    const char *reason, *said;
  } words[] = {{"breakpoint", MESSAGE(" breakpoint %d")},
               {"watch", MESSAGE(" watch %d")},
               {"finding", MESSAGE(" mistake")},
               {"interrupted", MESSAGE(" stopped")},
               {"beginning", MESSAGE(" beginning")},
               {"ended", MESSAGE(" ended")}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (!strcmp(reason, words[i].reason))
      str_addf(out, message(words[i].said), number);
}

static void draw_title(const struct debug_screen *s, const struct pane *p) {
  lua_State *L = s->L;
  struct str text = STR_INIT;
  const char *reason = stop_field(L, "reason");
  int line = stop_number(L, "line"), number = stop_number(L, "number");
  if (stop_is(L, "is_live")) {
    add_triple(L, MESSAGE("block "), "block", &text);
    add_triple(L, MESSAGE(" thread "), "thread", &text);
    if (line)
      str_addf(&text, " · %s:%d in %s", stop_field(L, "file"), line,
               stop_field(L, "func"));
    else
      str_addf(&text, message(" · in %s, outside your source"),
               stop_field(L, "func"));
  } else if (s->debug->has_ended) {
    str_add(&text, message("The launch has ended"));
  } else {
    add_triple(L, MESSAGE("block "), "block", &text);
    add_triple(L, MESSAGE(" thread "), "thread", &text);
    str_add(&text, message(" has ended"));
  }
  pane_put(p, 0, 0, ROLE_TITLE, text.data);
  str_clear(&text);
  if (s->is_running)
    str_add(&text, message(" running"));
  else
    add_reason(reason, number, &text);
  pane_put_right(p, 0, ROLE_BUSY, text.data);
  str_free(&text);
}

// "  3 | out[i] = 0;" and the marks below: the source panel has the line itself.
static bool is_excerpt(const char *line, size_t bytes) {
  size_t at = 0;
  while (at < bytes && strchr(" 0123456789", line[at]))
    at++;
  return at && at < bytes && line[at] == '|';
}

// A finding in as many rows as there are: the lines of source go first.
static char *shorten(const char *finding, int columns, int rows) {
  struct str out = STR_INIT;
  if (cells_rows(finding, columns) <= rows)
    return xstrdup(finding);
  for (const char *l = finding; *l;) {
    size_t n = strcspn(l, "\n");
    if (!is_excerpt(l, n))
      str_addf(&out, "%s%.*s", out.len ? "\n" : "", (int)n, l);
    l += n + (l[n] == '\n');
  }
  return str_take(&out);
}

static void draw_finding(const struct debug_screen *s, const struct pane *p) {
  if (!p->rows)
    return;
  char *text = s->is_at_finding
                   ? shorten(s->finding, p->columns, p->rows)
                   : xasprintf(message("found before: %s"), s->finding);
  int rows = put_text(p, 0, s->is_at_finding ? ROLE_BAD : ROLE_QUIET, text);
  if (rows > p->rows || strcmp(text, s->finding) != 0)
    pane_put_right(p, 0, ROLE_KEY, message(" e: all of it "));
  free(text);
}

// ---- Source ----

static bool has_break(const struct debug_screen *s, int line) {
  for (int i = 0; i < s->break_count; i++)
    if (s->breaks[i].line == line)
      return true;
  return false;
}

static int focus_lane(const struct debug_screen *s) {
  return (int)(stop_thread(s->L, s->survey.block) % LANES);
}

static const struct warp_state *focus_warp(const struct debug_screen *s) {
  return survey_warp(&s->survey, (unsigned)stop_number(s->L, "warp"));
}

// "*-> " in front of a line: breakpoint, where the focus is, where other lanes of its
// warp are. The line that it is about is there in full: how many rows it took.
static int draw_source_line(const struct debug_screen *s, const struct pane *p,
                            int row, int line) {
  int here = stop_number(s->L, "line");
  size_t bytes;
  const char *text = screen_line_of(stop_field(s->L, "source"), line, &bytes);
  const struct warp_state *w = focus_warp(s);
  char other = w && line != here ? survey_letter_at(w, line, focus_lane(s)) : 0;
  char mark[16], number[16];
  snprintf(mark, sizeof mark, "%c%s", has_break(s, line) ? '*' : ' ',
           line == here ? "->"
           : other      ? (char[]){' ', other, 0}
                        : "  ");
  int at = pane_put(p, row, 0, line == here ? ROLE_TITLE : ROLE_BUSY, mark);
  snprintf(number, sizeof number, "%3d", line);
  at = pane_put(p, row, at, line == s->cursor ? ROLE_SELECTED : ROLE_QUIET,
                number);
  struct pane rest = *p;
  pane_cut_left(&rest, at + 2);
  rest.row += row;
  rest.rows -= row;
  char *whole = xstrndup(text, bytes);
  int rows = 1;
  if (line == here)
    rows = put_text(&rest, 0, ROLE_TITLE, whole);
  else
    pane_put(&rest, 0, 0, ROLE_PLAIN, whole);
  free(whole);
  return rows < 1 ? 1 : rows;
}

static void draw_source(const struct debug_screen *s, const struct pane *p) {
  int lines = screen_count_lines(stop_field(s->L, "source"));
  int first = s->cursor - p->rows / 2;
  if (first > lines - p->rows + 1)
    first = lines - p->rows + 1;
  first = first < 1 ? 1 : first;
  for (int row = 0; row < p->rows && first <= lines; first++)
    row += draw_source_line(s, p, row, first);
}

// ---- Lanes ----

// Colours come round again: the value itself, or its letter, is what tells.
static enum display_role role_of_kind(int kind) {
  static const enum display_role roles[] = {ROLE_GRAPH, ROLE_GOOD, ROLE_BUSY,
                                            ROLE_PLAIN};
  return roles[kind % 4];
}

static enum display_role role_of_letter(char letter) {
  return letter == 'A'                    ? ROLE_GOOD
         : letter == '-' || letter == ' ' ? ROLE_QUIET
                                          : ROLE_BUSY;
}

// ", waits at barrier 1", in the reader's language.
static void add_wait(const char *wait, struct str *out) {
  if (!*wait)
    return;
  str_add(out, ", ");
  message_report(wait, out);
}

static void draw_legend(struct pane p, const struct warp_state *w, int focus) {
  for (int i = 0, row = 0; i < w->place_count; i++, row++) {
    const struct lane_place *at = &w->places[i];
    int lanes = __builtin_popcount(at->lanes);
    char letter[2] = {survey_letter(w, i, focus), 0};
    struct str text = STR_INIT;
    str_addf(&text, message_of(lanes, " %d lane", " %d lanes"), lanes);
    if (at->line)
      str_addf(&text, message(" at line %d"), at->line);
    else
      str_add(&text, message(" outside your source"));
    add_wait(at->wait, &text);
    int column = pane_put(&p, row, 0, role_of_letter(*letter), letter);
    pane_put(&p, row, column, ROLE_PLAIN, text.data);
    str_free(&text);
  }
  if (w->born != w->live)
    pane_put(&p, w->place_count, 0, ROLE_QUIET, message("- has ended"));
}

// Where a lane is drawn, for who clicks it.
static void note_lane(struct debug_screen *s, int lane, const struct pane *p,
                      int row, int from, int to) {
  s->lane_at[lane].row = p->row + row;
  s->lane_at[lane].column = p->column + from;
  s->lane_at[lane].columns = row < 0 || row >= p->rows ? 0 : to - from;
}

// "AAAAAAAA BBBBAAAA ...", and beside it, or below, what the letters mean.
static void draw_places(struct debug_screen *s, struct pane p,
                        const struct warp_state *w, int focus) {
  char letters[LANES + 1];
  survey_letters(w, focus, letters);
  for (int l = 0; l < LANES; l++) {
    char one[2] = {letters[l], 0};
    int at = l + l / 8;
    note_lane(s, l, &p, 0, at, at + 1);
    pane_put(&p, 0, at, l == focus ? ROLE_SELECTED : role_of_letter(letters[l]),
             one);
  }
  if (p.columns >= LEGEND_BESIDE)
    pane_cut_left(&p, LANES + 6);
  else
    pane_cut_top(&p, 1);
  draw_legend(p, w, focus);
}

// A lane's value, in parentheses where it stands elsewhere.
static void add_cell(const struct debug_screen *s, int lane, uint32_t here,
                     struct str *out) {
  bool is_elsewhere = !(here >> lane & 1);
  if (!s->lanes.has[lane])
    str_add(out, "-");
  else
    str_addf(out, is_elsewhere ? "(%s)" : "%s", s->lanes.text[lane]);
}

static struct cell_grid grid_of(const struct debug_screen *s, int columns,
                                int born, uint32_t here) {
  int width = 1;
  for (int l = 0; l < born; l++) {
    struct str cell = STR_INIT;
    add_cell(s, l, here, &cell);
    int is = display_width(cell.data, cell.len);
    width = is > width ? is : width;
    str_free(&cell);
  }
  return cells_grid(born, width, 4, columns);
}

static void draw_lane_values(struct debug_screen *s, const struct pane *p,
                             const struct warp_state *w, int focus) {
  uint32_t here = (uint32_t)stop_number(s->L, "mask");
  int born = __builtin_popcount(w->born);
  struct cell_grid g = grid_of(s, p->columns, born, here);
  // The row of the lane in focus has room in any case.
  int first = focus / g.per_row - p->rows + 1;
  first = first < 0 ? 0 : first;
  for (int l = first * g.per_row; l < born; l++) {
    struct str cell = STR_INIT;
    int row = l / g.per_row - first, k = l % g.per_row;
    char label[8];
    snprintf(label, sizeof label, "%2d", l);
    if (!k)
      pane_put(p, row, 0, ROLE_QUIET, label);
    add_cell(s, l, here, &cell);
    int width = display_width(cell.data, cell.len);
    int at = 4 + k * (g.width + 1) + g.width - width;
    note_lane(s, l, p, row, at, at + width);
    pane_put(p, row, at,
             l == focus ? ROLE_SELECTED : role_of_kind(s->lanes.kind[l]),
             cell.data);
    str_free(&cell);
  }
}

static void draw_lanes(struct debug_screen *s, struct pane p) {
  const struct warp_state *w = focus_warp(s);
  int focus = focus_lane(s);
  struct str text = STR_INIT;
  memset(s->lane_at, 0, sizeof s->lane_at);
  if (!p.rows)
    return;
  if (s->lanes_by)
    str_addf(&text, message("lanes of warp %d, by %s"),
             stop_number(s->L, "warp"), s->lanes_by);
  else
    str_addf(&text, message("lanes of warp %d, by place"),
             stop_number(s->L, "warp"));
  if (w)
    str_addf(&text, message(" · lane %d in focus"), focus);
  put_heading(s, &p, PANEL_LANES, text.data);
  str_free(&text);
  if (!w)
    pane_put(&p, 0, 0, ROLE_QUIET, message("no warp runs here"));
  else if (s->lanes_by && s->lanes_why)
    put_text(&p, 0, ROLE_PLAIN, s->lanes_why);
  else if (s->lanes_by)
    draw_lane_values(s, &p, w, focus);
  else
    draw_places(s, p, w, focus);
}

// ---- Values, warps ----

static int clamp_first(int first, int all, int shown) {
  first = first > all - shown ? all - shown : first;
  return first < 0 ? 0 : first;
}

// What of a text's rows has no room.
static void put_more(const struct pane *p, int first, int all) {
  int below = all - first - p->rows;
  char text[24];
  if (below <= 0 || !p->rows)
    return;
  snprintf(text, sizeof text, message(" %d more"), below);
  pane_put_right(p, p->rows - 1, ROLE_KEY, text);
}

static void draw_values(struct debug_screen *s, struct pane p) {
  if (!p.rows)
    return;
  put_heading(s, &p, PANEL_VALUES, message("watch list and variables"));
  s->values_at =
      clamp_first(s->values_at, cells_rows(s->values, p.columns), p.rows);
  put_more(&p, s->values_at, put_text(&p, s->values_at, ROLE_PLAIN, s->values));
  if (!*s->values)
    pane_put(&p, 0, 0, ROLE_QUIET, message("none here"));
}

// Where a warp's lanes are, a line for each place.
static void add_warp(const struct warp_state *w, bool is_focus,
                     struct str *out) {
  str_addf(out, "%c%2u", is_focus ? '*' : ' ', w->number);
  if (!w->live)
    str_add(out, message(" has ended\n"));
  for (int i = 0; i < w->place_count; i++) {
    const struct lane_place *at = &w->places[i];
    str_addf(out, message("%s %2d at "), i ? "   " : "",
             __builtin_popcount(at->lanes));
    if (at->line)
      str_addf(out, message("line %d"), at->line);
    else
      str_add(out, message("no line of yours"));
    add_wait(at->wait, out);
    str_add(out, "\n");
  }
}

static char *list_warps(const struct debug_screen *s) {
  const struct survey *v = &s->survey;
  const struct warp_state *focus = focus_warp(s);
  struct str out = STR_INIT;
  for (int i = 0; i < v->warp_count; i++)
    add_warp(&v->warps[i], &v->warps[i] == focus, &out);
  return str_take(&out);
}

static void draw_warps(struct debug_screen *s, struct pane p) {
  const struct survey *v = &s->survey;
  struct str text = STR_INIT;
  if (!p.rows)
    return;
  add_triple(s->L, MESSAGE("block "), "block", &text);
  str_addf(&text, message_of(v->warp_count, ", %d warp", ", %d warps"),
           v->warp_count);
  put_heading(s, &p, PANEL_WARPS, text.data);
  str_clear(&text);
  str_addf(&text, message("blocks: %llu ended, %u running, %llu to come"),
           v->begun - v->running, v->running, survey_blocks(v) - v->begun);
  struct pane foot = pane_cut_bottom(&p, cells_rows(text.data, p.columns));
  char *warps = list_warps(s);
  s->warps_at = clamp_first(s->warps_at, cells_rows(warps, p.columns), p.rows);
  put_more(&p, s->warps_at, put_text(&p, s->warps_at, ROLE_PLAIN, warps));
  free(warps);
  put_text(&foot, 0, ROLE_QUIET, text.data);
  str_free(&text);
}

// ---- Shared memory ----

static struct cell_grid elements_grid(const struct debug_screen *s,
                                      int columns) {
  int width = 1;
  for (int i = 0; i < s->cell_count; i++) {
    int is = display_width(s->cells[i], strlen(s->cells[i]));
    width = is > width ? is : width;
  }
  return cells_grid(s->cell_count, width, 6, columns);
}

static void draw_elements(struct debug_screen *s, const struct pane *p) {
  struct cell_grid g = elements_grid(s, p->columns);
  s->cells_shown = g.per_row * p->rows;
  for (int i = 0; i < s->cell_count && i < s->cells_shown; i++) {
    int row = i / g.per_row, k = i % g.per_row;
    char label[24];
    snprintf(label, sizeof label, "%4llu", s->element + (unsigned)i);
    if (!k)
      pane_put(p, row, 0, ROLE_QUIET, label);
    int is = display_width(s->cells[i], strlen(s->cells[i]));
    pane_put(p, row, 6 + k * (g.width + 1) + g.width - is,
             *s->cells[i] == '?' ? ROLE_QUIET : ROLE_PLAIN, s->cells[i]);
  }
}

static void draw_shared(struct debug_screen *s, struct pane p) {
  struct str text = STR_INIT;
  if (!p.rows)
    return;
  if (s->shared_name[0]) {
    const char *dims = strchr(s->shared_type, '[');
    str_addf(&text, "shared %.*s %s%s", (int)strcspn(s->shared_type, "["),
             s->shared_type, s->shared_name, dims ? dims : "");
    if (s->shared_count > 1)
      str_addf(&text, message(" (%d of %d, m: next)"), s->shared_at + 1,
               s->shared_count);
    str_add(&text, message(" · ?: nothing wrote it"));
  } else {
    str_add(&text, message("no shared memory"));
  }
  put_heading(s, &p, PANEL_SHARED, text.data);
  str_free(&text);
  if (s->cell_count)
    draw_elements(s, &p);
}

// ---- Foot ----

static void draw_foot(const struct debug_screen *s, struct pane p) {
  struct pane row = pane_cut_top(&p, 1);
  if (s->is_typing)
    pane_put_typed(row, ":", &s->line,
                   message("  Enter does it · Esc gives up"));
  else if (s->is_running)
    pane_put(&row, 0, 0, ROLE_BUSY, message("running: Ctrl-C stops it"));
  else if (s->message)
    pane_put(&row, 0, 0, s->is_warning ? ROLE_BUSY : ROLE_PLAIN, s->message);
  pane_put_keys(&p, 0, keys, KEYS);
}

// ---- The whole ----

char *screen_list_keys(void) {
  struct str out = STR_INIT;
  for (int i = 0; i < KEYS; i++)
    str_addf(&out, "  %-9s  %s\n", message(keys[i].name),
             message(keys[i].help));
  return str_take(&out);
}

static void draw_page(struct debug_screen *s, struct pane p) {
  struct pane title = pane_cut_top(&p, 1), foot = pane_cut_bottom(&p, 1);
  struct screen shape = {.is_terminal = true, .columns = p.columns + 1};
  struct str text = STR_INIT;
  screen_fit(&shape, s->page, &text);
  s->page_rows = p.rows;
  s->page_at =
      clamp_first(s->page_at, cells_rows(text.data, p.columns), p.rows);
  pane_put(&title, 0, 0, ROLE_TITLE, s->page_title);
  int all = put_text(&p, s->page_at, ROLE_PLAIN, text.data);
  pane_put(
      &foot, 0, 0, ROLE_QUIET,
      s->is_page_key_unknown
          ? message("This key does nothing here: q, Esc or Enter goes back")
      : all > p.rows
          ? message("arrows and Page Down move; q, Esc or Enter goes back")
          : message("q, Esc or Enter goes back"));
  str_free(&text);
}

static int rows_of_lanes(const struct debug_screen *s, int columns) {
  const struct warp_state *w = focus_warp(s);
  if (!w)
    return 2;
  if (s->lanes_by && s->lanes_why)
    return 1 + cells_rows(s->lanes_why, columns);
  if (s->lanes_by)
    return 1 + grid_of(s, columns, __builtin_popcount(w->born),
                       (uint32_t)stop_number(s->L, "mask"))
                   .rows;
  int legend = w->place_count + (w->born != w->live);
  return columns >= LEGEND_BESIDE ? 1 + (legend > 1 ? legend : 1) : 2 + legend;
}

static void draw_panels(struct debug_screen *s, const struct pane *all) {
  struct layout_want want = {
      .rows = all->rows, .columns = all->columns, .chosen = s->chosen};
  struct layout l;
  char *warps = list_warps(s);
  int right = layout_right(all->columns);
  want.finding = !s->finding        ? 0
                 : s->is_at_finding ? cells_rows(s->finding, all->columns)
                                    : 1;
  want.panel[PANEL_LANES] = rows_of_lanes(s, all->columns);
  want.panel[PANEL_VALUES] = 1 + cells_rows(s->values, right) + !*s->values;
  want.panel[PANEL_WARPS] = 3 + cells_rows(warps, right);
  want.panel[PANEL_SHARED] =
      s->shared_count ? 1 + elements_grid(s, all->columns).rows : 0;
  free(warps);
  layout_make(&want, &l);
  struct pane finding = part(s, l.finding),
              source = part(s, l.panel[PANEL_SOURCE]);
  draw_finding(s, &finding);
  draw_source(s, &source);
  draw_lanes(s, part(s, l.panel[PANEL_LANES]));
  draw_values(s, part(s, l.panel[PANEL_VALUES]));
  draw_warps(s, part(s, l.panel[PANEL_WARPS]));
  draw_shared(s, part(s, l.panel[PANEL_SHARED]));
}

void screen_draw_debugger(struct debug_screen *s) {
  struct pane p = display_begin(s->d), all = p;
  if (s->page) {
    draw_page(s, p);
  } else if (!display_is_small(s->d)) {
    struct pane title = pane_cut_top(&p, 1), foot = pane_cut_bottom(&p, 2);
    draw_title(s, &title);
    draw_panels(s, &all);
    draw_foot(s, foot);
  }
  display_show(s->d);
}
