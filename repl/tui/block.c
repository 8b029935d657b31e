// SPDX-License-Identifier: Apache-2.0
// A text of several lines in Readline's buffer. Its line ends are bytes like any
// other there; what makes it a block is that keys which mean "line" mean the line
// at hand (block_keys.c), and that we draw it (rl_redisplay_function): Readline's own
// display neither colours nor knows of a text that is longer than the screen.
#include "repl/tui/block.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <readline/history.h>
#include <readline/readline.h>

#include "base/mem.h"
#include "base/text/text.h"
#include "repl/edit/edit.h"
#include "repl/tui/block_keys.h"
#include "repl/tui/recall.h"
#include "repl/tui/tui.h"

struct block block;

enum { MOST_LEFT = 1000 }; // rows left on the screen

// ---- Drawing ----

static const char *mode_text(void) {
  const char *on = rl_variable_value("show-mode-in-prompt");
  if (!on || strcmp(on, "on"))
    return "";
  const char *map = rl_get_keymap_name(rl_get_keymap());
  const char *name = !map || str_starts(map, "emacs") ? "emacs-mode-string"
                     : !strcmp(map, "vi-insert")      ? "vi-ins-mode-string"
                                                      : "vi-cmd-mode-string";
  const char *text = rl_variable_value(name);
  return text ? text : "";
}

// Columns of a text with Readline's marks around escapes, which take none.
static int columns_of(const char *text) {
  int columns = 0;
  for (size_t left = strlen(text); left;) {
    struct edit_char c = edit_char_at(text, left);
    size_t n = (size_t)c.bytes;
    if (*text == '\1')
      n = strcspn(text, "\2") + (strchr(text, '\2') != NULL);
    else
      columns += c.columns;
    text += n;
    left -= n;
  }
  return columns;
}

static void write_terminal(const struct str *out) {
  fwrite(out->data, 1, out->len, rl_outstream);
  fflush(rl_outstream);
}

static void show(struct edit_picture *now) {
  struct str out = STR_INIT;
  edit_picture_change(&block.picture, now, &out);
  write_terminal(&out);
  str_free(&out);
  edit_picture_free(&block.picture);
  block.picture = *now;
}

static unsigned char *styles_of(const char *text, bool has_cursor) {
  if (!block.session->has_colour || !block.more)
    return NULL;
  unsigned char *styles = xmalloc(strlen(text) + 1);
  edit_colour(text, block.session->is_cuda_line, styles);
  if (has_cursor)
    edit_match(text, (size_t)rl_point, styles);
  return styles;
}

// Where keys are typed at the end of what is typed, in colour: it must be seen to
// be no part of that.
static void suggest(bool is_last) {
  str_clear(&block.suggestion);
  bool is_typing = !is_last && recall_is_wanted() && block.more &&
                   block.session->has_colour &&
                   rl_point == rl_end && // never so in vi's command mode
                   !RL_ISSTATE(RL_STATE_ISEARCH | RL_STATE_NSEARCH |
                               RL_STATE_SEARCH | RL_STATE_NUMERICARG);
  if (is_typing)
    recall_rest(rl_line_buffer, &block.suggestion);
}

static void draw(int rows, bool is_last) {
  struct edit_picture now;
  struct str prompt = STR_INIT, more = STR_INIT;
  int all_rows, columns;
  rl_get_screen_size(&all_rows, &columns);
  const char *mode = mode_text();
  str_addf(&prompt, "%s%s", mode, rl_display_prompt ? rl_display_prompt : "");
  if (block.more) // as wide
    str_addf(&more, "%*s%s", columns_of(mode), "", block.more);
  suggest(is_last);
  unsigned char *styles = styles_of(rl_line_buffer, !is_last);
  struct edit_view view = {
      .prompt = prompt.data,
      .more = more.data,
      .text = rl_line_buffer,
      .point = is_last ? strlen(rl_line_buffer) : (size_t)rl_point,
      .styles = styles,
      .suggestion = block.suggestion.data,
      .note = is_last ? NULL : block.note.data,
      .columns = columns,
      .rows = rows < 0 ? all_rows : rows,
  };
  edit_picture_draw(&view, &block.top, &now);
  if (rows == 0 && now.count > MOST_LEFT) { // what is seen has to do
    edit_picture_free(&now);
    view.rows = all_rows;
    edit_picture_draw(&view, &block.top, &now);
  }
  show(&now);
  free(styles);
  str_free(&more);
  str_free(&prompt);
}

static void redisplay(void) {
  draw(-1, false);
}

void block_forget_picture(void) {
  edit_picture_free(&block.picture);
}

// The rows that the screen kept are written once more, below those that have
// left it: what the terminal keeps is the whole text.
void block_leave(void) {
  if (block.session) {
    draw(0, true);
    block_forget_picture();
  }
  rl_crlf();
  fflush(rl_outstream);
}

void block_redraw(void) {
  if (!block.session) {
    rl_forced_update_display();
    return;
  }
  block_forget_picture();
  redisplay();
}

void block_clear(void) {
  if (!block.session) {
    rl_crlf();
    fflush(rl_outstream);
    return;
  }
  struct screen now;
  struct str out = STR_INIT;
  screen_measure(&now);
  int above = edit_picture_rows_above(&block.picture, now.columns);
  if (above)
    str_addf(&out, "\x1b[%dA", above);
  // Cleared from the very first row on, some terminals keep what was there.
  str_add(&out, "\r\x1b[K\x1b[B\x1b[J\x1b[A");
  write_terminal(&out);
  str_free(&out);
  block_forget_picture();
}

void block_resized(void) {
  if (!block.session) {
    rl_resize_terminal();
    return;
  }
  block_clear();
  rl_resize_terminal(); // draws, where it sees another size
  redisplay();
}

// ---- Completion ----

static void show_matches(char **matches, int count, int longest) {
  block_leave();
  int rows, columns;
  rl_get_screen_size(&rows, &columns);
  int across = columns / (longest + 2) > 0 ? columns / (longest + 2) : 1;
  int most = (rows > 4 ? rows - 3 : 1) * across;
  int shown = count > most ? most : count;
  for (int i = 0; i < shown; i++) {
    bool ends = i % across == across - 1 || i == shown - 1;
    fprintf(rl_outstream, "%-*.*s%s", ends ? 1 : longest + 2, columns - 1,
            matches[i + 1], ends ? "\r\n" : "");
  }
  str_clear(&block.note);
  if (shown < count) {
    str_addf(&block.note, message("%d more: type on"), count - shown);
    block.note_keys = 0;
  }
  fflush(rl_outstream);
  redisplay();
}

// ---- A line ----

void block_begin(const char *more) {
  if (!block.session)
    return;
  block_forget_picture();
  block.more = more;
  block.top = 0;
  block.own_line = -1;
  block.marked = -1;
  str_clear(&block.note);
  str_clear(&block.suggestion);
  str_clear(&block.prefix);
}

void block_begun(void) {
  if (block.session)
    block_keys_change();
}

void block_note(const char *text) {
  if (!block.session)
    return;
  str_clear(&block.note);
  str_add(&block.note, text);
  block.note_keys = 0;
}

void block_key_done(void) {
  if (!block.session)
    return;
  if (block.note.len && block.note_keys++ > 0) { // it has stood for a key
    str_clear(&block.note);
    redisplay();
  }
  if (block.marked != rl_end)
    block.marked = -1;
  int before = rl_point;
  block_mend_indent();
  if (rl_point != before)
    redisplay();
}

// The escapes that pictures are changed with are ECMA-48's; who clears a line
// with one knows the others.
static bool can_draw(void) {
  const char *up = rl_get_termcap("up"), *clear = rl_get_termcap("ce");
  const char *term = getenv("TERM");
  return up && clear && str_starts(clear, "\x1b[K") && term &&
         strcmp(term, "dumb") && !plain_is_wanted();
}

bool block_is_open(void) {
  return block.session != NULL;
}

// Readline then writes what is typed, and nothing besides: it knows of no terminal
// that could do more.
static void make_plain(void) {
  static const char *const off[] = {
      "enable-bracketed-paste",    "enable-active-region",
      "blink-matching-paren",      "colored-stats",
      "colored-completion-prefix", "show-mode-in-prompt"};
  for (size_t i = 0; i < sizeof off / sizeof *off; i++)
    rl_variable_bind(off[i], "off");
  rl_variable_bind("bell-style", "none");
  rl_reset_terminal("dumb");
}

void block_turn_plain(const struct terminal_session *s) {
  block_forget_picture();
  block.session = NULL;
  block.more = NULL;
  str_free(&block.note);
  str_free(&block.suggestion);
  str_free(&block.prefix);
  rl_redisplay_function = rl_redisplay;
  rl_completion_display_matches_hook = NULL;
  if (!plain_is_wanted())
    rl_reset_terminal(NULL);
  block_open(s);
}

bool block_open(const struct terminal_session *s) {
  // The person's inputrc may say otherwise.
  rl_variable_bind("enable-bracketed-paste", "on");
  rl_variable_bind("show-all-if-ambiguous", "on");
  block_keys_name();
  rl_initialize();
  if (plain_is_wanted())
    make_plain();
  if (!can_draw())
    return false;
  str_init(&block.note);
  str_init(&block.suggestion);
  str_init(&block.prefix);
  block.session = s;
  block_keys_set();
  rl_redisplay_function = redisplay;
  rl_completion_display_matches_hook = show_matches;
  return true;
}
