// SPDX-License-Identifier: Apache-2.0
// The dashboard on a screen: GPUs with their history, and below them the list of who
// uses them. A look is asked for, and while it is on its way keys are answered.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/text/text.h"
#include "display/display.h"
#include "repl/shop.h"
#include "repl/top/text.h"
#include "repl/top/top.h"

enum { HISTORY = 512, LIST_LEAST = 4 };

struct dash {
  struct top *t;
  struct display *d;
  // Per cent, the newest last; -1: not told.
  signed char use[SURVEY_GPUS][HISTORY], memory[SURVEY_GPUS][HISTORY];
  long looks;
  double next_s; // when the next look is due
  bool is_paused, is_help, is_filtering, is_over;
  bool is_unknown; // the last key means nothing here
  int first;       // line of the list
  int shown;       // lines of it that had room
  struct line {
    enum display_role role;
    pid_t pid; // of a process; 0: it is none's
    char *text;
  } * lines;
  int line_count;
  int top;        // the list's first row on the screen
  pid_t selected; // a process, wherever it stands in the list; 0: none
};

static const struct display_key keys[] = {
#define KEY(name, word, help) {name, word, help},
#include "repl/top/key.def"
#undef KEY
};
enum { KEYS = sizeof keys / sizeof *keys };

// ---- What is drawn ----

// A number says the same beside it.
static enum display_role role_of(int per_cent) {
  return per_cent >= 90 ? ROLE_BUSY : ROLE_GRAPH;
}

static void draw_graph(const struct pane *p, const char *label,
                       const signed char *values) {
  const char *term = getenv("TERM");
  signed char newest = values[HISTORY - 1];
  bool is_row = p->rows == 1;
  struct graph g = {.values = values,
                    .count = HISTORY,
                    .columns = p->columns - (is_row ? 12 : 8),
                    .rows = p->rows,
                    .is_ascii =
                        MB_CUR_MAX == 1 || (term && !strcmp(term, "linux"))};
  char text[24];
  if (g.columns > HISTORY / GRAPH_PER_COLUMN)
    g.columns = HISTORY / GRAPH_PER_COLUMN;
  if (newest < 0)
    snprintf(text, sizeof text, "N/A");
  else
    snprintf(text, sizeof text, "%d %%", newest);
  int at = pane_put(p, 0, 0, ROLE_QUIET, label);
  pane_put(p, is_row ? 0 : 1, is_row ? at + 1 : 0, ROLE_PLAIN, text);
  for (int row = 0; row < p->rows && g.columns > 0; row++) {
    char *line = graph_row(&g, row);
    pane_put(p, row, p->columns - g.columns, role_of(newest), line);
    free(line);
  }
}

// Values side by side, as many as there is room for.
static void draw_values(const struct pane *p, const struct survey_gpu *g) {
  struct str text = STR_INIT;
  int row = 0, at = 0;
  for (int i = 0; text_add_value(g, i, &text); i++, str_clear(&text)) {
    int width = display_width(text.data, text.len);
    if (!width)
      continue;
    if (at && at + width > p->columns) {
      row++;
      at = 0;
    }
    if (row >= p->rows)
      break;
    at = pane_put(p, row, at, ROLE_PLAIN, text.data) + 3;
  }
  str_free(&text);
}

static void draw_both(struct pane *p, const struct dash *h, int gpu) {
  struct pane left = pane_cut_left(p, p->columns / 2 - 1), right = *p;
  pane_cut_left(&right, 1);
  draw_graph(&left, "use", h->use[gpu]);
  draw_graph(&right, "memory", h->memory[gpu]);
}

static int slices_of(const struct survey *s, int gpu) {
  int count = 0;
  for (int i = 0; i < s->slice_count; i++)
    count += s->slices[i].gpu == gpu;
  return count;
}

static void draw_slices(struct pane *p, const struct survey *s, int gpu) {
  for (int i = 0; i < s->slice_count; i++) {
    if (s->slices[i].gpu != gpu)
      continue;
    struct str text = STR_INIT;
    struct pane row = pane_cut_top(p, 1);
    text_add_slice(&s->slices[i], &text);
    text.data[strcspn(text.data, "\n")] = 0;
    pane_put(&row, 0, 0, ROLE_PLAIN, text.data);
    str_free(&text);
  }
}

// How much of each GPU there is room for: rows of values and of graphs; 0: one row
// for all of it.
static const struct size {
  int values, graph, gap;
} sizes[] = {{3, 4, 1}, {2, 3, 1}, {2, 2, 0}, {1, 1, 0}, {0, 0, 0}};
enum { SIZES = sizeof sizes / sizeof *sizes };

static int rows_of(const struct survey *s, int gpu, const struct size *size) {
  if (!size->values)
    return 1;
  if (text_is_lost(&s->gpus[gpu]))
    return 1 + size->gap;
  return 1 + size->values + size->graph + size->gap + slices_of(s, gpu);
}

static void draw_gpu(struct pane *p, const struct dash *h, int gpu,
                     const struct size *size) {
  const struct machine *m = &h->t->machine;
  const struct survey_gpu *g = &m->survey.gpus[gpu];
  struct pane block = pane_cut_top(p, rows_of(&m->survey, gpu, size));
  struct str text = STR_INIT;
  struct pane head = pane_cut_top(&block, 1);
  if (!size->values) {
    str_addf(&text, "GPU %d", gpu);
    int at = pane_put(&head, 0, 0, ROLE_TITLE, text.data);
    pane_cut_left(&head, at + 2);
    draw_values(&head, g);
  } else {
    text_add_gpu_name(m, gpu, &text);
    pane_put(&head, 0, 0, ROLE_TITLE, text.data);
  }
  if (text_is_lost(g)) {
    pane_put_right(&head, 0, ROLE_BAD, nvml_why_text(g->is[0].why));
  } else if (size->values) {
    struct pane values = pane_cut_top(&block, size->values);
    struct pane graphs = pane_cut_top(&block, size->graph);
    draw_values(&values, g);
    draw_both(&graphs, h, gpu);
    draw_slices(&block, &m->survey, gpu);
  }
  str_free(&text);
}

// The largest size that leaves room for the list.
static const struct size *size_for(const struct survey *s, const int *gpus,
                                   int count, int rows) {
  for (int k = 0; k < SIZES; k++) {
    int needed = 0;
    for (int i = 0; i < count; i++)
      needed += rows_of(s, gpus[i], &sizes[k]);
    if (needed <= rows - LIST_LEAST)
      return &sizes[k];
  }
  return &sizes[SIZES - 1];
}

static void draw_gpus(struct pane *p, const struct dash *h) {
  const struct survey *s = &h->t->machine.survey;
  int gpus[SURVEY_GPUS],
      count = choice_gpus(&h->t->choice, &h->t->machine, gpus);
  const struct size *size = size_for(s, gpus, count, p->rows);
  for (int i = 0; i < count; i++) {
    if (p->rows - LIST_LEAST <= 1 && i + 1 < count) {
      char text[80];
      struct pane row = pane_cut_top(p, 1);
      snprintf(text, sizeof text, message("and %d more: --gpu chooses some"),
               count - i);
      pane_put(&row, 0, 0, ROLE_QUIET, text);
      return;
    }
    draw_gpu(p, h, gpus[i], size);
  }
  if (s->err) {
    const char *instead =
        message("Kernels run on the virtual GPU, which needs no driver.");
    int rows = pane_put_words(p, 0, 0, s->text, false);
    struct pane row =
        pane_cut_top(p, rows + pane_put_words(p, 0, 0, instead, false));
    pane_put_words(&row, 0, 0, s->text, true);
    pane_put_words(&row, rows, 0, instead, true);
  }
}

// ---- The list ----

static void add_line(struct dash *h, enum display_role role, pid_t pid,
                     struct str *text) {
  h->lines = xrealloc(h->lines, (size_t)(h->line_count + 1) * sizeof *h->lines);
  h->lines[h->line_count++] =
      (struct line){.role = role, .pid = pid, .text = str_take(text)};
}

static void add_words(struct dash *h, enum display_role role,
                      const char *words) {
  struct str text = STR_INIT;
  str_add(&text, words);
  add_line(h, role, 0, &text);
}

static void free_lines(struct dash *h) {
  for (int i = 0; i < h->line_count; i++)
    free(h->lines[i].text);
  free(h->lines);
  h->lines = NULL;
  h->line_count = 0;
}

static void make_list(struct dash *h, int columns) {
  const struct machine *m = &h->t->machine;
  const struct choice *c = &h->t->choice;
  int most = m->server_count + SURVEY_USERS;
  int *rows = xcalloc((size_t)most, sizeof *rows);
  struct str text = STR_INIT;
  free_lines(h);
  int count = choice_processes(c, m, rows);
  if (m->survey.gpu_count) {
    text_add_process_head(columns, &text);
    add_line(h, ROLE_SELECTED, 0, &text);
    if (!count)
      add_words(h, ROLE_QUIET,
                message(c->filter.text[0]
                            ? MESSAGE("none that the filter lets through")
                            : MESSAGE("none")));
  }
  for (int i = 0; i < count; i++) {
    text_add_process(&m->processes[rows[i]], columns, &text);
    add_line(h, ROLE_PLAIN, m->processes[rows[i]].is.pid, &text);
  }
  count = choice_servers(c, m, rows);
  text_add_server_head(columns, &text);
  add_line(h, ROLE_SELECTED, 0, &text);
  for (int i = 0; i < count; i++) {
    text_add_server(&m->servers[rows[i]], columns, &text);
    add_line(h, ROLE_PLAIN, m->servers[rows[i]].pid, &text);
  }
  if (!count)
    add_words(
        h, ROLE_QUIET,
        message(m->server_count
                    ? MESSAGE("none that the filter lets through")
                    : MESSAGE("virtual:0   no program of yours uses it")));
  free(rows);
}

static void draw_list(struct pane *p, struct dash *h) {
  make_list(h, p->columns);
  h->shown = p->rows;
  h->top = p->row;
  if (h->first > h->line_count - p->rows)
    h->first = h->line_count - p->rows;
  if (h->first < 0)
    h->first = 0;
  for (int i = 0; i < p->rows && h->first + i < h->line_count; i++) {
    const struct line *l = &h->lines[h->first + i];
    bool is_selected = l->pid && l->pid == h->selected;
    if (l->role == ROLE_SELECTED || is_selected)
      pane_put_row(p, i, ROLE_SELECTED, l->text);
    else
      pane_put(p, i, 0, l->role, l->text);
  }
  int below = h->line_count - h->first - p->rows;
  if (below > 0) { // the last row says what is below it
    char text[40];
    snprintf(text, sizeof text, message(" %d more below "), below);
    pane_put_right(p, p->rows - 1, ROLE_SELECTED, text);
  }
}

// ---- The whole ----

static void draw_title(const struct pane *p, const struct dash *h) {
  struct str text = STR_INIT;
  double waits_s = nvml_watch_waits_s(h->t->gpus);
  char state[80];
  if (h->t->machine.has_survey)
    text_add_title(&h->t->machine, &text);
  else
    str_add(&text, message("warpshop top · looking"));
  pane_put(p, 0, 0, ROLE_TITLE, text.data);
  str_free(&text);
  if (waits_s > 3) {
    snprintf(state, sizeof state, message(" no answer from NVML for %.0f s"),
             waits_s);
    pane_put_right(p, 0, ROLE_BAD, state);
  } else if (h->is_paused) {
    pane_put_right(p, 0, ROLE_BUSY, message(" paused"));
  } else {
    snprintf(state, sizeof state, message(" every %g s"), h->t->interval_s);
    pane_put_right(p, 0, ROLE_QUIET, state);
  }
}

// All that is known of the selected one, whose row may have cut it off.
static void add_selected(const struct dash *h, struct str *out) {
  const struct machine *m = &h->t->machine;
  for (int i = 0; i < m->process_count && !out->len; i++)
    if (m->processes[i].is.pid == h->selected)
      str_addf(out, "> %d %s %s", (int)h->selected,
               m->processes[i].is_seen ? m->processes[i].look.user : "N/A",
               m->processes[i].is_seen ? m->processes[i].look.command : "N/A");
  for (int i = 0; i < m->server_count && !out->len; i++)
    if (m->servers[i].pid == h->selected)
      str_addf(out, "> %d %s %s", (int)h->selected, m->servers[i].look.user,
               m->servers[i].program);
  if (!out->len)
    str_addf(out, message("> %d has ended"), (int)h->selected);
}

static void draw_foot(struct pane *p, const struct dash *h) {
  const struct choice *c = &h->t->choice;
  struct pane status = pane_cut_top(p, 1);
  struct str text = STR_INIT;
  if (h->selected && !h->is_filtering && !h->is_unknown)
    add_selected(h, &text);
  else
    str_addf(&text, message("sorted by %s%s%s"), sort_name(c->sort),
             c->filter.text[0] || h->is_filtering ? message(" · filter: ") : "",
             h->is_filtering ? "" : c->filter.text);
  if (h->is_filtering)
    pane_put_typed(status, text.data, &c->filter,
                   message("  Enter keeps it · Esc shows all"));
  int at = h->is_filtering ? 0 : pane_put(&status, 0, 0, ROLE_QUIET, text.data);
  if (h->is_unknown)
    pane_put(&status, 0, at, ROLE_SELECTED,
             message("  no key of this screen: ? shows them"));
  str_free(&text);
  pane_put_keys(p, 0, keys, KEYS);
}

static void draw(struct dash *h) {
  struct pane p = display_begin(h->d);
  struct pane title = pane_cut_top(&p, 1), foot = pane_cut_bottom(&p, 2);
  if (h->is_help) {
    struct pane help = display_begin(h->d);
    pane_put_help(help, MESSAGE("The keys of warpshop top"), keys, KEYS);
  } else {
    draw_title(&title, h);
    draw_gpus(&p, h);
    draw_list(&p, h);
    draw_foot(&foot, h);
  }
  display_show(h->d);
}

// ---- Looks ----

static signed char share(struct nvml_value part, struct nvml_value all) {
  if (part.why || all.why || all.is <= 0)
    return -1;
  int64_t per_cent = 100 * part.is / all.is;
  return (signed char)(per_cent < 0 ? 0 : per_cent > 100 ? 100 : per_cent);
}

static void remember(signed char *history, signed char value) {
  memmove(history, history + 1, HISTORY - 1);
  history[HISTORY - 1] = value;
}

static void take_look(struct dash *h) {
  struct top *t = h->t;
  if (!nvml_watch_take(t->gpus, &t->survey))
    return;
  machine_look(&t->machine, &t->survey, t->processes);
  for (int i = 0; i < t->survey.gpu_count; i++) {
    const struct nvml_value *is = t->survey.gpus[i].is;
    remember(h->use[i],
             share(is[NVML_GPU_USE], (struct nvml_value){.is = 100}));
    remember(h->memory[i], share(is[NVML_MEMORY_USED], is[NVML_MEMORY_TOTAL]));
  }
  h->looks++;
  h->is_over |= t->count && h->looks >= t->count;
}

static void ask(struct dash *h) {
  nvml_watch_ask(h->t->gpus);
  h->next_s = clock_s() + h->t->interval_s;
}

// ---- Keys ----

static void type_filter(struct dash *h, int key) {
  struct typed *filter = &h->t->choice.filter;
  if (key == '\n' || key == DISPLAY_ESCAPE)
    h->is_filtering = false;
  if (key == DISPLAY_ESCAPE)
    typed_set(filter, "");
  else
    typed_press(filter, key, display_pasted(h->d));
}

static void change_interval(struct dash *h, double times) {
  double s = h->t->interval_s * times;
  h->t->interval_s = s < 0.125 ? 0.125 : s > 3600 ? 3600 : s;
  ask(h);
}

// ---- The selected one ----

static int line_of(const struct dash *h, pid_t pid) {
  for (int i = 0; i < h->line_count; i++)
    if (pid && h->lines[i].pid == pid)
      return i;
  return -1;
}

// The next process from a line on, up or down; false: there is none.
static bool select_from(struct dash *h, int line, int by) {
  while (line >= 0 && line < h->line_count &&
         (!h->lines[line].pid || h->lines[line].pid == h->selected))
    line += by; // of several GPUs' one process is one
  if (line < 0 || line >= h->line_count)
    return false;
  h->selected = h->lines[line].pid;
  if (line < h->first)
    h->first = line;
  if (line >= h->first + h->shown)
    h->first = line - h->shown + 1;
  return true;
}

static void select_or_let_go(struct dash *h) {
  if (h->selected)
    h->selected = 0;
  else
    h->is_unknown = !select_from(h, h->first, 1);
}

static void click(struct dash *h) {
  int row, column;
  display_clicked(h->d, &row, &column);
  int line = h->first + row - h->top;
  if (row >= h->top && row < h->top + h->shown && line < h->line_count &&
      h->lines[line].pid)
    h->selected = h->lines[line].pid;
}

// False: the key is none that moves.
static bool move(struct dash *h, int key) {
  int selected = line_of(h, h->selected);
  if (selected >= 0 && (key == DISPLAY_UP || key == DISPLAY_DOWN)) {
    int by = key == DISPLAY_UP ? -1 : 1;
    if (!select_from(h, selected + by, by) && by < 0)
      h->first = 0; // the heading
    return true;
  }
  switch (key) {
  case DISPLAY_UP: h->first--; break;
  case DISPLAY_DOWN: h->first++; break;
  case DISPLAY_PAGE_UP: h->first -= h->shown; break;
  case DISPLAY_PAGE_DOWN: h->first += h->shown; break;
  case DISPLAY_HOME: h->first = 0; break;
  case DISPLAY_END: h->first = h->line_count; break;
  default: return false;
  }
  return true;
}

static void press(struct dash *h, int key) {
  enum sort_key *sort = &h->t->choice.sort;
  h->is_unknown = false;
  if (key == DISPLAY_INTERRUPT || key == DISPLAY_LEAVE || key == DISPLAY_GONE) {
    h->is_over = true;
  } else if (h->is_help) {
    h->is_help = key == DISPLAY_CLICK;
  } else if (h->is_filtering) {
    type_filter(h, key);
  } else {
    switch (key) {
    case 'q': h->is_over = true; break;
    case '?': h->is_help = true; break;
    case ' ':
    case 'p': h->is_paused = !h->is_paused; break;
    case 's': *sort = (enum sort_key)((*sort + 1) % SORTS); break;
    case 'S': *sort = (enum sort_key)((*sort + SORTS - 1) % SORTS); break;
    case '/': h->is_filtering = true; break;
    case '\n': select_or_let_go(h); break;
    case DISPLAY_CLICK: click(h); break;
    case DISPLAY_ESCAPE:
      if (h->selected)
        h->selected = 0;
      else
        typed_set(&h->t->choice.filter, "");
      break;
    case 'r': ask(h); break;
    case '+': change_interval(h, 0.5); break;
    case '-': change_interval(h, 2); break;
    default: h->is_unknown = !move(h, key); break;
    }
  }
}

// ---- The loop ----

static int wait_ms(const struct dash *h) {
  double rest = h->next_s - clock_s();
  return rest <= 0 ? 0 : (int)(rest * 1000) + 1;
}

int dash_run(struct top *t, struct display *d) {
  struct dash *h = xcalloc(1, sizeof *h);
  h->t = t;
  h->d = d;
  memset(h->use, -1, sizeof h->use);
  memset(h->memory, -1, sizeof h->memory);
  display_take_clicks(d);
  ask(h);
  draw(h);
  while (!h->is_over) {
    int key = display_wait(d, nvml_watch_fd(t->gpus), wait_ms(h));
    if (key == DISPLAY_READY) {
      take_look(h);
    } else if (key == DISPLAY_LATE) {
      h->next_s = clock_s() + t->interval_s;
      if (!h->is_paused)
        nvml_watch_ask(t->gpus);
      if (h->is_paused || nvml_watch_waits_s(t->gpus) <= 3)
        continue; // nothing is different
    } else if (key != DISPLAY_REDRAW) {
      press(h, key);
    }
    draw(h);
  }
  free_lines(h);
  free(h);
  return EXIT_PASSED;
}
