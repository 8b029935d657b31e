// SPDX-License-Identifier: Apache-2.0
// The debugger on a screen: keys, and the text debugger's commands behind ":". What
// these print is held back and shown as a message, or as a page.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>

#include "base/mem.h"
#include "base/text/text.h"
#include "gpu/debug.h"
#include "repl/debugger/debugger.h"
#include "repl/debugger/draw.h"
#include "repl/debugger/refresh.h"
#include "repl/debugger/screen.h"
#include "repl/debugger/stop.h"
#include "repl/debugger/text.h"
#include "repl/debugger/words.h"
#include "repl/eval/eval.h"

enum { ANSWER_COLUMNS = 58 }; // of one that needs no page

// ---- Messages and pages ----

static void set_message(struct debug_screen *s, char *text, bool is_warning) {
  free(s->message);
  s->message = text;
  s->is_warning = is_warning;
}

static void show_page(struct debug_screen *s, const char *title, char *text) {
  free(s->page);
  s->page = text;
  s->page_title = title;
  s->page_at = 0;
}

static char *without_end(char *text) {
  size_t n = strlen(text);
  while (n && text[n - 1] == '\n')
    text[--n] = 0;
  return text;
}

// What a command printed: one line below the panels, or a page of its own.
static void show_answer(struct debug_screen *s, char *text) {
  size_t n = strlen(without_end(text));
  bool is_long = strchr(text, '\n') || display_width(text, n) > ANSWER_COLUMNS;
  set_message(s, is_long || !n ? NULL : xstrdup(text), false);
  if (is_long)
    show_page(s, message("The debugger's answer"), text);
  else
    free(text);
}

// The launch has gone on: what its kernel printed, and the reason why it stopped in
// the last line. `o` shows all of it.
static void show_news(struct debug_screen *s, char *text) {
  const char *last = strrchr(without_end(text), '\n');
  int lines = screen_count_lines(text);
  set_message(
      s,
      last ? xasprintf(message_of(lines - 1, "%s  (%d line more, o shows it)",
                                  "%s  (%d lines more, o shows them)"),
                       last + 1, lines - 1)
           : xstrdup(text),
      false);
  if (*text) {
    free(s->news);
    s->news = text;
  } else {
    free(text);
  }
}

// ---- Commands ----

static bool is_quit(const char *line) {
  char word[32];
  size_t n = strcspn(line, " \t");
  snprintf(word, sizeof word, "%.*s", (int)(n < 31 ? n : 31), line);
  return debugger_is_own(OWN_QUIT, word);
}

static int own_list(const struct debug_screen *s) {
  int lines = screen_count_lines(stop_field(s->L, "source"));
  int listed = s->debug->listed;
  s->debug->listed = 0;
  return listed > lines ? lines : listed;
}

// Does the launch go on, or back, with it?
static bool is_going(const char *line) {
  char word[32];
  size_t n = strcspn(line, " \t/");
  snprintf(word, sizeof word, "%.*s", (int)(n < 31 ? n : 31), line);
  const struct gpu_debug_command *c = gpu_debug_command(gpu_debug_find(word));
  return c && c->shows == GPU_DEBUG_PLACE;
}

// As the text debugger runs it; what is printed meanwhile, to be freed.
static char *run_held(struct debug_screen *s, const char *line) {
  struct shop *shop = s->debug->shop;
  struct screen shape = shop->screen;
  struct capture c;
  s->is_running = true;
  display_run(s->d, true); // who reads of Ctrl-C may press it
  screen_draw_debugger(s);
  shop->screen.is_terminal = shop->screen.has_colour = false;
  bool is_held = capture_begin(&c);
  lua_pushcfunction(s->L, debugger_do_protected);
  lua_pushvalue(s->L, 1);
  lua_pushlightuserdata(s->L, s->debug);
  lua_pushstring(s->L, line);
  int status = lua_pcall(s->L, 3, 0, 0);
  char *answer = is_held ? capture_end(&c) : xstrdup("");
  shop->screen = shape;
  display_run(s->d, false);
  s->is_running = false;
  if (status == LUA_OK)
    return answer;
  free(answer);
  lua_error(s->L);
  return NULL;
}

static void run(struct debug_screen *s, const char *line) {
  char *answer = run_held(s, line);
  screen_refresh(s);
  int listed = own_list(s);
  if (listed)
    s->cursor = listed;
  if (is_going(line))
    show_news(s, answer);
  else
    show_answer(s, answer);
}

// One that goes on: Enter does it again.
static void go(struct debug_screen *s, const char *line) {
  snprintf(s->last, sizeof s->last, "%s", line);
  run(s, line);
}

static void run_line(struct debug_screen *s, const char *verb, int line,
                     const char *more) {
  char *command = xasprintf("%s %d%s", verb, line, more);
  run(s, command);
  free(command);
}

// A breakpoint at the cursor's line, or none there any more.
static void toggle_break(struct debug_screen *s) {
  int at[MOST_BREAKS], count = 0;
  for (int i = 0; i < s->break_count; i++)
    if (s->breaks[i].line == s->cursor)
      at[count++] = s->breaks[i].number;
  int cursor = s->cursor;
  for (int i = 0; i < count; i++)
    run_line(s, "delete", at[i], "");
  if (!count)
    run_line(s, "break", cursor, "");
  s->cursor = cursor;
}

// The lane or warp before, or the next one; the last is followed by the first.
static void move_focus(struct debug_screen *s, bool is_warp, int by) {
  const struct warp_state *w =
      survey_warp(&s->survey, (unsigned)stop_number(s->L, "warp"));
  int count = is_warp ? s->survey.warp_count
              : w     ? __builtin_popcount(w->born)
                      : 0;
  unsigned thread = stop_thread(s->L, s->survey.block);
  int at = (int)(is_warp ? thread / LANES : thread % LANES);
  if (count)
    run_line(s, is_warp ? "warp" : "lane", (at + by + count) % count, "");
}

// The lane that was clicked gets the focus.
static void click(struct debug_screen *s) {
  int row, column;
  display_clicked(s->d, &row, &column);
  for (int l = 0; l < LANES; l++)
    if (row == s->lane_at[l].row && column >= s->lane_at[l].column &&
        column < s->lane_at[l].column + s->lane_at[l].columns) {
      run_line(s, "lane", l, "");
      return;
    }
}

static void set_lanes_by(struct debug_screen *s, const char *expression) {
  free(s->lanes_by);
  s->lanes_by = *expression ? xstrdup(expression) : NULL;
  s->chosen = PANEL_LANES;
  screen_refresh(s);
  if (!s->lanes_by)
    set_message(s, xstrdup(message("lanes by place")), false);
}

// ---- The command line ----

static void begin_typing(struct debug_screen *s, const char *text) {
  s->is_typing = true;
  s->recalled = s->typed_count;
  typed_set(&s->line, text);
  set_message(s, NULL, false);
}

static void remember(struct debug_screen *s, const char *line) {
  if (s->typed_count && !strcmp(s->typed[s->typed_count - 1], line))
    return;
  if (s->typed_count == COMMANDS_KEPT) {
    free(s->typed[0]);
    memmove(s->typed, s->typed + 1, sizeof s->typed - sizeof *s->typed);
    s->typed_count--;
  }
  s->typed[s->typed_count++] = xstrdup(line);
}

// The words of the screen's own come first: `lanes` colours the lanes.
static void enter(struct debug_screen *s) {
  char *line = str_trimmed(s->line.text, strlen(s->line.text));
  s->is_typing = false;
  if (*line)
    remember(s, line);
  if (is_quit(line))
    s->is_over = true;
  else if (!strcmp(line, "lanes") || str_starts(line, "lanes "))
    set_lanes_by(s, line + 5 + strspn(line + 5, " "));
  else if (*line)
    run(s, line);
  free(line);
}

static void recall(struct debug_screen *s, int by) {
  int at = s->recalled + by;
  if (at < 0 || at > s->typed_count)
    return;
  s->recalled = at;
  typed_set(&s->line, at < s->typed_count ? s->typed[at] : "");
}

// The first word, where one command alone begins so; else what they have in common.
static void complete(struct debug_screen *s) {
  char *word = xstrndup(s->line.text, s->line.at), *common = NULL, *found;
  for (int i = 0; !strchr(word, ' ') && (found = debugger_complete(word, i));
       i++) {
    size_t n = 0;
    while (common && common[n] && common[n] == found[n])
      n++;
    if (common)
      common[n] = 0;
    else
      common = xstrdup(found);
    free(found);
  }
  if (common && strlen(common) > s->line.at)
    typed_insert(&s->line, common + s->line.at);
  free(common);
  free(word);
}

static void press_typing(struct debug_screen *s, int key) {
  switch (key) {
  case '\n': enter(s); break;
  case DISPLAY_ESCAPE:
  case DISPLAY_INTERRUPT: s->is_typing = false; break;
  case DISPLAY_UP: recall(s, -1); break;
  case DISPLAY_DOWN: recall(s, 1); break;
  case '\t': complete(s); break;
  default:
    if (key == DISPLAY_BACKSPACE && !*s->line.text) // behind the ":" itself
      s->is_typing = false;
    typed_press(&s->line, key, display_pasted(s->d));
    break;
  }
}

// ---- Keys ----

static void move_page(struct debug_screen *s, int key) {
  s->is_page_key_unknown = false;
  switch (key) {
  case DISPLAY_UP: s->page_at--; break;
  case DISPLAY_DOWN: s->page_at++; break;
  case DISPLAY_PAGE_UP: s->page_at -= s->page_rows; break;
  case ' ':
  case DISPLAY_PAGE_DOWN: s->page_at += s->page_rows; break;
  case DISPLAY_HOME: s->page_at = 0; break;
  case DISPLAY_END: s->page_at = MOST_SHOWN; break;
  case 'q':
  case '?':
  case '\n':
  case DISPLAY_INTERRUPT:
  case DISPLAY_ESCAPE: show_page(s, NULL, NULL); break;
  case DISPLAY_CLICK: break;
  default: s->is_page_key_unknown = true; break;
  }
}

static void move_elements(struct debug_screen *s, int by) {
  unsigned long long shown = (unsigned)(s->cells_shown ? s->cells_shown : 1);
  if (by < 0)
    s->element = s->element > shown ? s->element - shown : 0;
  else if (s->element + shown < s->elements)
    s->element += shown;
  screen_refresh_shared(s);
}

// Page Up and Page Down in the chosen panel.
static void move_panel(struct debug_screen *s, int by) {
  switch (s->chosen) {
  case PANEL_SHARED: move_elements(s, by); break;
  case PANEL_VALUES: s->values_at += 5 * by; break;
  case PANEL_WARPS: s->warps_at += 5 * by; break;
  default: s->cursor += 10 * by; break;
  }
}

static void next_shared(struct debug_screen *s) {
  s->shared_at++;
  s->element = 0;
  s->chosen = PANEL_SHARED;
  screen_refresh_shared(s);
  if (!s->shared_count)
    set_message(s, xstrdup(message("this kernel has no shared variables")),
                true);
}

static void show_finding(struct debug_screen *s) {
  if (s->finding)
    show_page(s, message("What was found"), xstrdup(s->finding));
  else
    set_message(
        s,
        xstrdup(message("nothing was found yet: c goes on to the next stop")),
        false);
}

static void show_printed(struct debug_screen *s) {
  if (s->news)
    show_page(s, message("What was printed when it ran last"),
              xstrdup(s->news));
  else
    set_message(s, xstrdup(message("nothing was printed yet")), false);
}

// The next panel, or the one before, of those that have something to show.
static void next_panel(struct debug_screen *s, int by) {
  do
    s->chosen = (enum panel)((s->chosen + PANELS + by) % PANELS);
  while (s->chosen == PANEL_SOURCE ||
         (s->chosen == PANEL_SHARED && !s->shared_count));
}

// Keys that ask for a rest of a command.
static bool press_asking(struct debug_screen *s, int key) {
  char *to = NULL;
  switch (key) {
  case ':': begin_typing(s, ""); break;
  case 'v': begin_typing(s, "lanes "); break;
  case 'w': begin_typing(s, "display "); break;
  case 't': begin_typing(s, "thread "); break;
  case 'T':
    to = xasprintf("until %d thread ", s->cursor);
    begin_typing(s, to);
    free(to);
    break;
  default: return false;
  }
  return true;
}

// Keys that let the launch go on, or back.
static bool press_going(struct debug_screen *s, int key) {
  static const struct {
    int key;
    const char *command;
  } all[] = {{'s', "step"},      {'n', "next"},     {'b', "back"},
             {'p', "back-next"}, {'c', "continue"}, {'r', "back-continue"},
             {'f', "finish"},    {'i', "stepi"},    {'R', "start"}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i].key == key) {
      go(s, all[i].command);
      return true;
    }
  if (key == '\n' && !*s->last)
    set_message(
        s, xstrdup(message("nothing to do once more yet: n steps, c goes on")),
        false);
  else if (key == '\n')
    run(s, s->last);
  else if (key == 'u')
    run_line(s, "until", s->cursor, "");
  return key == '\n' || key == 'u';
}

static void press_looking(struct debug_screen *s, int key) {
  switch (key) {
  case 'q':
  case DISPLAY_ESCAPE: s->is_over = true; break;
  case '?':
    show_page(s, message("The keys of the debugger"), screen_list_keys());
    break;
  case 'e': show_finding(s); break;
  case 'o': show_printed(s); break;
  case 'm': next_shared(s); break;
  case ' ': toggle_break(s); break;
  case DISPLAY_CLICK: click(s); break;
  case '\t': next_panel(s, 1); break;
  case DISPLAY_BACK_TAB: next_panel(s, -1); break;
  case DISPLAY_UP: s->cursor--; break;
  case DISPLAY_DOWN: s->cursor++; break;
  case DISPLAY_HOME: s->cursor = stop_number(s->L, "line"); break;
  case DISPLAY_END: s->cursor = MOST_SHOWN; break;
  case DISPLAY_PAGE_UP: move_panel(s, -1); break;
  case DISPLAY_PAGE_DOWN: move_panel(s, 1); break;
  case DISPLAY_LEFT: move_focus(s, false, -1); break;
  case DISPLAY_RIGHT: move_focus(s, false, 1); break;
  case '[': move_focus(s, true, -1); break;
  case ']': move_focus(s, true, 1); break;
  case DISPLAY_INTERRUPT:
    set_message(s, xstrdup(message("nothing runs; q leaves")), false);
    break;
  default:
    set_message(
        s,
        xstrdup(message("no key of this screen: ? lists them; : takes a "
                        "command")),
        false);
    break;
  }
}

static void press(struct debug_screen *s, int key) {
  int lines = screen_count_lines(stop_field(s->L, "source"));
  if (key == DISPLAY_GONE || key == DISPLAY_LEAVE)
    s->is_over = true;
  else if (s->page)
    move_page(s, key);
  else if (s->is_typing)
    press_typing(s, key);
  else if (display_is_small(s->d) && key != 'q' && key != DISPLAY_ESCAPE)
    return; // what a key does would not be seen
  else if (!press_asking(s, key) && !press_going(s, key))
    press_looking(s, key);
  s->cursor = s->cursor > lines ? lines : s->cursor;
  s->cursor = s->cursor < 1 ? 1 : s->cursor;
}

// ---- The loop ----

// [stop, screen]
static int body(lua_State *L) {
  struct debug_screen *s = lua_touserdata(L, 2);
  lua_settop(L, 1);
  s->L = L;
  s->cursor = 1;
  screen_refresh(s);
  set_message(s,
              xstrdup(message(
                  "n steps, c goes on, ? lists the keys; : takes a command")),
              false);
  screen_draw_debugger(s);
  while (!s->is_over) {
    int key = display_wait(s->d, -1, -1);
    if (key != DISPLAY_REDRAW)
      press(s, key);
    screen_draw_debugger(s);
  }
  return 0;
}

static void free_screen(struct debug_screen *s) {
  char *texts[] = {s->lanes_by, s->lanes_why, s->values, s->finding,
                   s->message,  s->page,      s->news};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    free(texts[i]);
  for (int i = 0; i < s->typed_count; i++)
    free(s->typed[i]);
  free(s->cells);
  free(s);
}

bool debugger_screen(struct debugging *d, lua_State *L) {
  struct screen *shape = &d->shop->screen;
  struct err_info e;
  struct display *display;
  screen_measure(shape);
  if (!shape->is_terminal || shape->is_plain || display_is_unwanted() ||
      !display_fits(shape->columns, shape->rows) || display_open(&display, &e))
    return false;
  struct debug_screen *s = xcalloc(1, sizeof *s);
  s->debug = d;
  s->d = display;
  display_take_clicks(display);
  s->chosen = PANEL_LANES;
  d->is_on_screen = true;
  lua_pushcfunction(L, body);
  lua_pushvalue(L, 1);
  lua_pushlightuserdata(L, s);
  int status = lua_pcall(L, 2, 0, 0);
  d->is_on_screen = false;
  char *rest = xstrdup(display_unread(display));
  display_close(display);
  terminal_keep_keys(rest);
  free(rest);
  free_screen(s);
  screen_measure(shape);
  if (status != LUA_OK)
    lua_error(L);
  return true;
}
