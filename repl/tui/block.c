// SPDX-License-Identifier: Apache-2.0
// A text of several lines in Readline's buffer. Its line ends are bytes like any
// other there; what makes it a block is that keys which mean "line" mean the line
// at hand, and that we draw it (rl_redisplay_function): Readline's own display
// neither colours nor knows of a text that is longer than the screen.
//
// Keys are found by the function that they are bound to, after the person's
// inputrc was read, so that whoever has moved one finds it where it was moved.
#include "repl/tui/block.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <readline/history.h>
#include <readline/readline.h>

#include "base/mem.h"
#include "base/text/text.h"
#include "repl/edit/edit.h"
#include "repl/tui/tui.h"

// Readline's hooks take no context.
static struct block {
  const struct terminal_session *session; // NULL: Readline draws
  const char *more;                       // NULL: one line is read
  struct edit_picture picture;            // what the terminal shows
  int top;         // the first row of the text that is shown
  int goal;        // the column that Up and Down keep to
  int own_line;    // where the line begins whose indentation is ours, or -1
  int note_keys;   // that were pressed since there is a note
  struct str note; // below the text
  const char *way_out;
} block;

enum { STEP = 2, MOST_LEFT = 1000 }; // rows left on the screen

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

static void draw(int rows, bool is_last) {
  struct edit_picture now;
  struct str prompt = STR_INIT, more = STR_INIT;
  int all_rows, columns;
  rl_get_screen_size(&all_rows, &columns);
  const char *mode = mode_text();
  str_addf(&prompt, "%s%s", mode, rl_display_prompt ? rl_display_prompt : "");
  if (block.more) // as wide
    str_addf(&more, "%*s%s", columns_of(mode), "", block.more);
  unsigned char *styles = styles_of(rl_line_buffer, !is_last);
  struct edit_view view = {
      .prompt = prompt.data,
      .more = more.data,
      .text = rl_line_buffer,
      .point = is_last ? strlen(rl_line_buffer) : (size_t)rl_point,
      .styles = styles,
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

// From here on the terminal's line is empty.
static void forget_picture(void) {
  edit_picture_free(&block.picture);
}

// The rows that the screen kept are written once more, below those that have
// left it: what the terminal keeps is the whole text.
void block_leave(void) {
  if (block.session) {
    draw(0, true);
    forget_picture();
  }
  rl_crlf();
  fflush(rl_outstream);
}

void block_redraw(void) {
  if (!block.session) {
    rl_forced_update_display();
    return;
  }
  forget_picture();
  redisplay();
}

void block_resized(void) {
  if (!block.session) {
    rl_resize_terminal();
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
  forget_picture();
  rl_resize_terminal(); // draws, where it sees another size
  redisplay();
}

// ---- Lines ----

static bool is_blank_between(size_t from, size_t to) {
  for (; from < to; from++)
    if (rl_line_buffer[from] != ' ' && rl_line_buffer[from] != '\t')
      return false;
  return true;
}

static size_t line_start(void) {
  return edit_line_start(rl_line_buffer, (size_t)rl_point);
}

static size_t line_end(void) {
  return edit_line_end(rl_line_buffer, (size_t)rl_point);
}

// Moves through the text, and out of it at its first and last line.
static int move_line(int by, int count, int key) {
  static rl_command_func_t *const leave[] = {rl_get_previous_history,
                                             rl_get_next_history};
  if (count < 0)
    return move_line(-by, -count, key);
  for (; count > 0; count--) {
    size_t at = (size_t)rl_point;
    if (!edit_move(rl_line_buffer, &at, by, block.goal)) {
      int result = leave[by > 0](count, key);
      // vi begins at the first line, which Up would leave at once.
      if (rl_editing_mode == 0 && by < 0)
        rl_point = (int)edit_line_start(rl_line_buffer, (size_t)rl_end);
      block.goal = edit_column(rl_line_buffer, (size_t)rl_point);
      return result;
    }
    rl_point = (int)at;
  }
  return 0;
}

static int line_up(int count, int key);
static int line_down(int count, int key);

static void keep_goal(void) {
  if (rl_last_func != line_up && rl_last_func != line_down)
    block.goal = edit_column(rl_line_buffer, (size_t)rl_point);
}

static int line_up(int count, int key) {
  keep_goal();
  return move_line(-1, count, key);
}

static int line_down(int count, int key) {
  keep_goal();
  return move_line(1, count, key);
}

// Once more at its start: the text's start.
static int to_line_start(int count, int key) {
  (void)count, (void)key;
  rl_point = (size_t)rl_point == line_start() ? 0 : (int)line_start();
  return 0;
}

static int to_line_end(int count, int key) {
  (void)count, (void)key;
  rl_point = (size_t)rl_point == line_end() ? rl_end : (int)line_end();
  return 0;
}

// At the line's end the line end itself goes.
static int kill_to_end(int count, int key) {
  if (count < 0)
    return rl_kill_line(count, key);
  int to = (int)line_end();
  return rl_kill_text(rl_point, to == rl_point && to < rl_end ? to + 1 : to);
}

static int kill_to_start(int count, int key) {
  (void)count, (void)key;
  int from = rl_point, to = (int)line_start();
  rl_point = to;
  return rl_kill_text(from, to == from && to > 0 ? to - 1 : to);
}

// ---- Indentation ----

static void set_indent(size_t line, int blanks) {
  size_t now = strspn(rl_line_buffer + line, " \t");
  int behind = rl_point - (int)(line + now);
  rl_begin_undo_group();
  rl_delete_text((int)line, (int)(line + now));
  rl_point = (int)line;
  for (int i = 0; i < blanks; i++)
    rl_insert_text(" ");
  rl_point += behind > 0 ? behind : 0;
  rl_end_undo_group();
}

static bool has_own_indent(void) {
  return block.more && block.own_line >= 0 && block.own_line <= rl_end &&
         (size_t)block.own_line == line_start();
}

static void drop_own_indent(void) {
  if (has_own_indent() && is_blank_between(line_start(), (size_t)rl_point))
    set_indent(line_start(), 0);
  block.own_line = -1;
}

// "}" and "end" move to where their block began as they are typed, and back if
// the word goes on.
static void mend_indent(void) {
  if (!has_own_indent()) {
    block.own_line = -1;
    return;
  }
  size_t line = line_start();
  size_t now = strspn(rl_line_buffer + line, " \t");
  if (line + now >= (size_t)rl_point || rl_point != (int)line_end())
    return;
  int blanks = edit_indent(rl_line_buffer, line, block.session->is_cuda_line);
  if ((int)now != blanks)
    set_indent(line, blanks);
}

// A line that has nothing but our indentation loses it.
static int add_line(int count, int key) {
  (void)count, (void)key;
  if (!block.more)
    return 0;
  mend_indent(); // of keys that came all at once nothing was drawn yet
  size_t line = line_start(), end = line_end();
  rl_begin_undo_group();
  if (is_blank_between(line, end)) {
    rl_delete_text((int)line, (int)end);
    rl_point = (int)line;
  }
  rl_insert_text("\n");
  line = (size_t)rl_point;
  block.own_line = (int)line;
  set_indent(line,
             edit_indent(rl_line_buffer, line, block.session->is_cuda_line));
  rl_end_undo_group();
  return 0;
}

// Whoever begins a line with a blank indents it by hand.
static int insert_blank(int count, int key) {
  if (has_own_indent() && (size_t)rl_point == line_end())
    drop_own_indent();
  return rl_insert(count, key);
}

// Inside the indentation a step at a time.
static int erase_back(int count, int key) {
  size_t line = line_start();
  int column = rl_point - (int)line;
  if (!block.more || count != 1 || column < STEP ||
      !is_blank_between(line, (size_t)rl_point))
    return rl_rubout(count, key);
  block.own_line = -1;
  int from = rl_point - (column - 1) % STEP - 1;
  rl_delete_text(from, rl_point);
  rl_point = from;
  return 0;
}

static int complete_or_indent(int count, int key) {
  size_t line = line_start();
  bool is_indent = block.more && rl_end > 0 &&
                   is_blank_between(line, (size_t)rl_point) &&
                   strchr(rl_line_buffer, '\n');
  if (!is_indent)
    return rl_complete(count, key);
  block.own_line = -1;
  int column = rl_point - (int)line;
  rl_insert_text(column % STEP ? " " : "  ");
  return 0;
}

// ---- vi's own ----

static int append_to_line(int count, int key) {
  rl_point = (int)line_end();
  return rl_vi_insert_mode(count, key);
}

static int insert_before_line(int count, int key) {
  rl_point = (int)(line_start() + strspn(rl_line_buffer + line_start(), " \t"));
  return rl_vi_insert_mode(count, key);
}

static int open_line(int count, int key) {
  rl_point = (int)line_end();
  if (block.more)
    add_line(count, key);
  return rl_vi_insert_mode(count, key);
}

// ---- Keys that mean nothing here ----

int block_escape(int count, int key) {
  (void)count, (void)key;
  block_note(block.way_out ? block.way_out
             : rl_end      ? message("Ctrl-C clears what is typed")
                           : message("Ctrl-D leaves, :help says more"));
  return 0;
}

void block_way_out(const char *text) {
  block.way_out = text;
}

// The byte that makes ESCAPE_ALONE whole, which no terminal sends.
enum { ALONE = 0x1c };
#define ESCAPE_ALONE "\x1b\x1c"

void block_escape_alone(void) {
  rl_stuff_char(ALONE);
  rl_callback_read_char();
}

// Ctrl-D behind the text.
static int delete_or_say(int count, int key) {
  return rl_point < rl_end ? rl_delete(count, key) : block_escape(count, key);
}

// One that nothing is known of, such as F5: the rest of what it sends is no text.
static int unknown_key(int count, int key) {
  rl_skip_csi_sequence(count, key);
  block_note(message("This key does nothing here; :help says more"));
  return 0;
}

static int unknown_single(int count, int key) { // ESC O, and a letter
  (void)count, (void)key;
  rl_read_key();
  block_note(message("This key does nothing here; :help says more"));
  return 0;
}

static void catch_unknown_keys(void) {
  static const char *const maps[] = {"emacs-standard", "vi-insert",
                                     "vi-command"};
  for (int i = 0; i < 3; i++) {
    Keymap map = rl_get_keymap_by_name(maps[i]);
    rl_bind_keyseq_in_map("\x1b[", unknown_key, map);
    rl_bind_keyseq_in_map("\x1bO", unknown_single, map);
  }
}

// ---- An empty screen ----

// Readline clears it, and would draw only what differs from what stood there.
static int clear_screen(int count, int key) {
  (void)count;
  if (block.session)
    forget_picture();
  return rl_clear_screen(1, key);
}

static int clear_display(int count, int key) {
  (void)count;
  if (block.session)
    forget_picture();
  return rl_clear_display(1, key);
}

// ---- Enter, paste ----

// Readline's own way to end a line, which would write where it believes the
// cursor to be.
static int end_text(int count, int key) {
  if (!block.session)
    return rl_newline(count, key);
  int echoes = rl_tty_set_echoing(0);
  int result = rl_newline(count, key);
  rl_tty_set_echoing(echoes);
  return result;
}

// A text that is whole runs, wherever the cursor is; one that is not gets a line
// more.
static int accept_or_add(int count, int key) {
  if (!block.more)
    return end_text(count, key);
  mend_indent();
  str_clear(&block.note);
  if (block.session->is_whole(block.session->context, rl_line_buffer,
                              &block.note))
    return end_text(count, key);
  add_line(count, key);
  block.note_keys = 0;
  return 0;
}

static void read_pasted(struct str *text) {
  static const char end[] = "\x1b[201~";
  const size_t n = sizeof end - 1;
  int key;
  while ((key = rl_read_key()) >= 0) {
    if (key)
      str_add_char(text, (char)key);
    if (text->len < n || memcmp(text->data + text->len - n, end, n))
      continue;
    text->len -= n;
    text->data[text->len] = 0;
    return;
  }
}

// "\r" is what terminals send for a line end.
static void mend_line_ends(struct str *text) {
  size_t n = 0;
  for (size_t i = 0; i < text->len; i++) {
    char c = text->data[i];
    if (c == '\n' && i && text->data[i - 1] == '\r')
      continue;
    text->data[n++] = c == '\r' ? '\n' : c;
  }
  if (text->len)
    text->data[text->len = n] = 0;
}

// Lines bring their own indentation.
static int paste(int count, int key) {
  (void)count, (void)key;
  struct str text = STR_INIT;
  read_pasted(&text);
  mend_line_ends(&text);
  if (strchr(text.data, '\n') || strchr(" \t", *text.data))
    drop_own_indent();
  rl_insert_text(text.data);
  str_free(&text);
  return 0;
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

// ---- Keys ----

struct change {
  rl_command_func_t *from, *to;
};

static void change_keys(Keymap map, const struct change *changes) {
  for (int i = 0; i < KEYMAP_SIZE; i++) {
    if (map[i].type == ISKMAP)
      change_keys((Keymap)(void *)map[i].function, changes);
    for (const struct change *c = changes; map[i].type == ISFUNC && c->from;
         c++)
      if (map[i].function == c->from) {
        map[i].function = c->to;
        break;
      }
  }
}

// By its sequence: Ctrl-P and Ctrl-N still go by whole entries.
static void change_arrow(const char *sequence, Keymap map,
                         const struct change *change) {
  int type;
  if (sequence && rl_function_of_keyseq(sequence, map, &type) == change->from &&
      type == ISFUNC)
    rl_bind_keyseq_in_map(sequence, change->to, map);
}

// The terminal's own keys for erasing are bound again whenever it is made ready.
static void change_all(void) {
  static const struct change all[] = {{rl_newline, accept_or_add},
                                      {rl_beg_of_line, to_line_start},
                                      {rl_end_of_line, to_line_end},
                                      {rl_kill_line, kill_to_end},
                                      {rl_unix_line_discard, kill_to_start},
                                      {rl_rubout, erase_back},
                                      {rl_delete, delete_or_say},
                                      {rl_vi_append_eol, append_to_line},
                                      {rl_vi_insert_beg, insert_before_line},
                                      {rl_complete, complete_or_indent},
                                      {rl_bracketed_paste_begin, paste},
                                      {rl_clear_screen, clear_screen},
                                      {rl_clear_display, clear_display},
                                      {NULL, NULL}};
  static const char *const maps[] = {"emacs-standard", "vi-insert",
                                     "vi-command"};
  for (int i = 0; i < 3; i++)
    change_keys(rl_get_keymap_by_name(maps[i]), all);
}

static void set_keys(Keymap map, bool is_vi_command) {
  static const struct change arrows[] = {{rl_get_previous_history, line_up},
                                         {rl_get_next_history, line_down}};
  const char *const up[] = {"\x1b[A", "\x1bOA", rl_get_termcap("ku")};
  const char *const down[] = {"\x1b[B", "\x1bOB", rl_get_termcap("kd")};
  for (int i = 0; i < 3; i++) {
    change_arrow(up[i], map, &arrows[0]);
    change_arrow(down[i], map, &arrows[1]);
  }
  if (is_vi_command) {
    change_arrow("k", map, &arrows[0]);
    change_arrow("j", map, &arrows[1]);
    rl_bind_keyseq_if_unbound_in_map("o", open_line, map);
  } else if (map[' '].type == ISFUNC && map[' '].function == rl_insert) {
    map[' '].function = insert_blank;
  }
}

// ---- A line ----

void block_begin(const char *more) {
  if (!block.session)
    return;
  forget_picture();
  block.more = more;
  block.top = 0;
  block.own_line = -1;
  str_clear(&block.note);
}

void block_begun(void) {
  if (block.session)
    change_all();
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
  int before = rl_point;
  mend_indent();
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
  forget_picture();
  block.session = NULL;
  block.more = NULL;
  str_free(&block.note);
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
  rl_initialize();
  if (plain_is_wanted())
    make_plain();
  if (!can_draw())
    return false;
  str_init(&block.note);
  block.session = s;
  set_keys(rl_get_keymap_by_name("emacs-standard"), false);
  set_keys(rl_get_keymap_by_name("vi-insert"), false);
  set_keys(rl_get_keymap_by_name("vi-command"), true);
  rl_bind_keyseq_in_map(ESCAPE_ALONE, block_escape,
                        rl_get_keymap_by_name("emacs-standard"));
  rl_bind_keyseq_in_map("\x1b\r", add_line,
                        rl_get_keymap_by_name("emacs-standard"));
  rl_bind_keyseq_in_map("\x1b\n", add_line,
                        rl_get_keymap_by_name("emacs-standard"));
  catch_unknown_keys();
  rl_redisplay_function = redisplay;
  rl_completion_display_matches_hook = show_matches;
  return true;
}
