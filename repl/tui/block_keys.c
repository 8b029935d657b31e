// SPDX-License-Identifier: Apache-2.0
// The keys of a text of several lines: those that mean "line" mean the line at hand.
//
// Keys are found by the function that they are bound to, after the person's
// inputrc was read, so that whoever has moved one finds it where it was moved.
#include "repl/tui/block_keys.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <readline/history.h>
#include <readline/readline.h>

#include "base/mem.h"
#include "base/text/text.h"
#include "repl/edit/edit.h"
#include "repl/tui/block.h"
#include "repl/tui/recall.h"
#include "repl/tui/tui.h"
#include "repl/tui/unread.h"

enum { STEP = 2 };

static const char *const maps[] = {"emacs-standard", "vi-insert", "vi-command"};

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

// A line of one's own, at whose end Up is pressed: what begins so is looked for,
// until another is typed.
static void note_prefix(void) {
  bool is_own = where_history() == history_length;
  bool is_begun = block.more && rl_point == rl_end &&
                  !strchr(rl_line_buffer, '\n') &&
                  !is_blank_between(0, (size_t)rl_end);
  if (is_own || !str_starts(rl_line_buffer, block.prefix.data))
    str_clear(&block.prefix);
  if (is_own && is_begun)
    str_add(&block.prefix, rl_line_buffer);
}

static int leave_by_prefix(int by, int key) {
  int steps =
      recall_steps(block.prefix.data, block.prefix.len, rl_line_buffer, by);
  if (by < 0 && steps)
    return rl_get_previous_history(steps, key);
  if (by > 0) // behind the newest is what was typed
    return rl_get_next_history(steps ? steps : history_length - where_history(),
                               key);
  block_note(message("nothing before begins so: Ctrl-P goes back by one"));
  return 0;
}

static int leave_text(int by, int count, int key) {
  if (block.prefix.len)
    return leave_by_prefix(by, key);
  return by < 0 ? rl_get_previous_history(count, key)
                : rl_get_next_history(count, key);
}

// Moves through the text, and out of it at its first and last line.
static int move_line(int by, int count, int key) {
  if (count < 0)
    return move_line(-by, -count, key);
  for (; count > 0; count--) {
    size_t at = (size_t)rl_point;
    if (!edit_move(rl_line_buffer, &at, by, block.goal)) {
      int result = leave_text(by, count, key);
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
  if (rl_last_func == line_up || rl_last_func == line_down)
    return;
  block.goal = edit_column(rl_line_buffer, (size_t)rl_point);
  note_prefix();
}

static int line_up(int count, int key) {
  keep_goal();
  return move_line(-1, count, key);
}

static int line_down(int count, int key) {
  keep_goal();
  return move_line(1, count, key);
}

// ---- What is suggested ----

static bool take_suggestion(size_t bytes) {
  if (!bytes || rl_point != rl_end)
    return false;
  char *text = xstrndup(block.suggestion.data, bytes);
  rl_insert_text(text);
  free(text);
  return true;
}

static int forward_or_take(int count, int key) {
  return count == 1 && take_suggestion(block.suggestion.len)
             ? 0
             : rl_forward_char(count, key);
}

// A word with the blanks around it.
static int word_or_take(int count, int key) {
  const char *rest = block.suggestion.data;
  size_t n = block.suggestion.len ? strspn(rest, " ") : 0;
  for (int i = 0; block.suggestion.len && i < count; i++) {
    n += strcspn(rest + n, " ");
    n += strspn(rest + n, " ");
  }
  return take_suggestion(n) ? 0 : rl_forward_word(count, key);
}

// ---- Ends of lines ----

// Once more at its start: the text's start.
static int to_line_start(int count, int key) {
  (void)count, (void)key;
  rl_point = (size_t)rl_point == line_start() ? 0 : (int)line_start();
  return 0;
}

static int to_line_end(int count, int key) {
  (void)count, (void)key;
  if (take_suggestion(block.suggestion.len))
    return 0;
  rl_point = (size_t)rl_point == line_end() ? rl_end : (int)line_end();
  return 0;
}

// With its line end, so that Ctrl-Y puts it in as a line.
static int kill_this_line(int count, int key) {
  (void)count, (void)key;
  int from = (int)line_start(), to = (int)line_end();
  if (to < rl_end)
    to++;
  else if (from > 0)
    from--;
  rl_point = from;
  return rl_kill_text(from, to);
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

// From Ctrl-Space to the cursor.
static bool has_marked_lines(void) {
  if (!block.more || block.marked != rl_end || rl_mark > rl_end)
    return false;
  size_t mark = edit_line_start(rl_line_buffer, (size_t)rl_mark);
  return mark != line_start();
}

// One step in (`by` 1) or out (-1), but for empty lines, and for the last where
// nothing of it is between both.
static void shift_lines(int by) {
  int point = rl_point, mark = rl_mark;
  size_t from = (size_t)(point < mark ? point : mark);
  size_t line = (size_t)(point < mark ? mark : point);
  from = edit_line_start(rl_line_buffer, from);
  line = edit_line_start(rl_line_buffer, line - (line > from));
  rl_begin_undo_group();
  for (;; line = edit_line_start(rl_line_buffer, line - 1)) {
    int now = (int)strspn(rl_line_buffer + line, " \t");
    int to = now + by * STEP > 0 ? now + by * STEP : 0;
    size_t end = edit_line_end(rl_line_buffer, line);
    if (line + (size_t)now < end) {
      set_indent(line, to);
      point += point > (int)line ? to - now : 0;
      mark += mark > (int)line ? to - now : 0;
    }
    if (line <= from)
      break;
  }
  rl_end_undo_group();
  rl_point = point > (int)from ? point : (int)from;
  rl_mark = mark > (int)from ? mark : (int)from;
  block.marked = rl_end;
}

static int mark_lines(int count, int key) {
  int result = rl_set_mark(count, key);
  block.marked = rl_end;
  if (block.more && strchr(rl_line_buffer, '\n'))
    block_note(message("Tab and Shift-Tab move the lines from here to the "
                       "cursor in and out"));
  return result;
}

// The marked lines, or the line at hand.
static int shift_out(int count, int key) {
  (void)count, (void)key;
  if (!block.more)
    return 0;
  if (!has_marked_lines())
    rl_mark = rl_point;
  shift_lines(-1);
  return 0;
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

void block_mend_indent(void) {
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
  block_mend_indent(); // of keys that came all at once nothing was drawn yet
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
  if (has_marked_lines()) {
    shift_lines(1);
    return 0;
  }
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

// What a terminal answers to graphics.c, when that has stopped waiting, is no key:
// CSI ? ... c, and APC G ... ST.
static int late_answer(int count, int key) {
  rl_skip_csi_sequence(count, key);
  return 0;
}

// An answer comes at once; a person's keys, behind Alt-_ and a G, do not.
static bool has_more(void) {
  enum { WAIT_MS = 50 };
  struct pollfd in = {STDIN_FILENO, POLLIN, 0};
  return unread_has() || poll(&in, 1, WAIT_MS) > 0;
}

static int late_answer_of_kitty(int count, int key) {
  enum { MOST = 256, ESCAPE = 27 };
  (void)count, (void)key;
  for (int i = 0; i < MOST && has_more() && rl_read_key() != ESCAPE;)
    i++;
  if (has_more())
    rl_read_key();
  return 0;
}

static void catch_unknown_keys(void) {
  for (int i = 0; i < 3; i++) {
    Keymap map = rl_get_keymap_by_name(maps[i]);
    rl_bind_keyseq_in_map("\x1b[", unknown_key, map);
    rl_bind_keyseq_in_map("\x1b[?", late_answer, map);
    rl_bind_keyseq_in_map("\x1b_G", late_answer_of_kitty, map);
    rl_bind_keyseq_in_map("\x1bO", unknown_single, map);
  }
}

// ---- An empty screen ----

// Readline clears it, and would draw only what differs from what stood there.
static int clear_screen(int count, int key) {
  (void)count;
  if (block.session)
    block_forget_picture();
  return rl_clear_screen(1, key);
}

static int clear_display(int count, int key) {
  (void)count;
  if (block.session)
    block_forget_picture();
  return rl_clear_display(1, key);
}

// ---- Brackets, an editor ----

static int over_brackets(int by, const char *where) {
  size_t at = (size_t)rl_point, bytes = strlen(rl_line_buffer) + 1;
  unsigned char *styles = xcalloc(bytes, 1);
  if (block.session && block.more)
    edit_colour(rl_line_buffer, block.session->is_cuda_line, styles);
  if (edit_over_brackets(rl_line_buffer, styles, &at, by))
    rl_point = (int)at;
  else
    block_note(where);
  free(styles);
  return 0;
}

static int over_brackets_ahead(int count, int key) {
  (void)count, (void)key;
  return over_brackets(1, message("no bracket opens and closes ahead"));
}

static int over_brackets_back(int count, int key) {
  (void)count, (void)key;
  return over_brackets(-1, message("no bracket opens and closes before"));
}

// Once the key is done: an editor is to get the signals that we hold.
static int ask_for_editor(int count, int key) {
  (void)count, (void)key;
  block.wants_editor = block.session && block.more;
  return 0;
}

bool block_takes_editor(void) {
  bool wants = block.wants_editor;
  block.wants_editor = false;
  return wants;
}

void block_replace(const char *text) {
  rl_begin_undo_group();
  rl_delete_text(0, rl_end);
  rl_point = 0;
  rl_insert_text(text);
  rl_end_undo_group();
  block.own_line = -1;
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
  block_mend_indent();
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

void block_keys_change(void) {
  static const struct change all[] = {{rl_newline, accept_or_add},
                                      {rl_beg_of_line, to_line_start},
                                      {rl_end_of_line, to_line_end},
                                      {rl_forward_char, forward_or_take},
                                      {rl_forward_word, word_or_take},
                                      {rl_kill_line, kill_to_end},
                                      {rl_unix_line_discard, kill_to_start},
                                      {rl_rubout, erase_back},
                                      {rl_delete, delete_or_say},
                                      {rl_set_mark, mark_lines},
                                      {rl_vi_append_eol, append_to_line},
                                      {rl_vi_insert_beg, insert_before_line},
                                      {rl_complete, complete_or_indent},
                                      {rl_bracketed_paste_begin, paste},
                                      {rl_clear_screen, clear_screen},
                                      {rl_clear_display, clear_display},
                                      {NULL, NULL}};
  for (int i = 0; i < 3; i++)
    change_keys(rl_get_keymap_by_name(maps[i]), all);
}

// Functions of ours, by which an inputrc may name them, with the keys that they have
// where it says nothing else.
static const struct own_key {
  const char *name;
  rl_command_func_t *function;
  const char *sequence;
} own_keys[] = {
    {"kill-this-line", kill_this_line, "\x1bk"},
    {"forward-brackets", over_brackets_ahead, "\x1b\x06"},
    {"backward-brackets", over_brackets_back, "\x1b\x02"},
    {"shift-lines-out", shift_out, "\x1b[Z"},
    {"edit-text", ask_for_editor, "\x18\x05"},
    {"edit-text", ask_for_editor, "\x1bOQ"}, // F2 of terminals
    {"edit-text", ask_for_editor, "\x1b[12~"},
    {"edit-text", ask_for_editor, "\x1b[[B"},
};

enum { OWN_KEYS = sizeof own_keys / sizeof *own_keys };

void block_keys_name(void) {
  for (int i = 0; i < OWN_KEYS; i++)
    if (!rl_named_function(own_keys[i].name))
      rl_add_defun(own_keys[i].name, own_keys[i].function, -1);
}

// What begins with a letter behind Esc is vi's.
static void set_own_keys(Keymap map, bool is_vi) {
  for (int i = 0; i < OWN_KEYS; i++) {
    const char *sequence = own_keys[i].sequence;
    if (!is_vi || str_starts(sequence, "\x1b[") ||
        str_starts(sequence, "\x1bO"))
      rl_bind_keyseq_if_unbound_in_map(sequence, own_keys[i].function, map);
  }
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

void block_keys_set(void) {
  Keymap emacs = rl_get_keymap_by_name("emacs-standard");
  set_keys(emacs, false);
  set_keys(rl_get_keymap_by_name("vi-insert"), false);
  set_keys(rl_get_keymap_by_name("vi-command"), true);
  set_own_keys(emacs, false);
  set_own_keys(rl_get_keymap_by_name("vi-insert"), true);
  rl_bind_keyseq_in_map(ESCAPE_ALONE, block_escape, emacs);
  rl_bind_keyseq_in_map("\x1b\r", add_line, emacs);
  rl_bind_keyseq_in_map("\x1b\n", add_line, emacs);
  catch_unknown_keys();
}
