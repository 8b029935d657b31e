// SPDX-License-Identifier: Apache-2.0
// warpshop watch: a file judged at each save; the next exercise when it passes.
// One thread: while a judgement runs, the judge asks now and then whether to
// stop, and that is when newer saves and keys are looked for.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "repl/eval/eval.h"
#include "repl/exercise/exercise.h"
#include "repl/lesson/lesson.h"
#include "repl/progress/progress.h"
#include "repl/shop.h"
#include "repl/tui/tui.h"
#include "repl/watch/follow.h"

enum { MAX_SOURCE = 1 << 20, LOOK_MS = 200 };

struct watch {
  struct shop *s;
  struct terminal_keys keys;
  struct follow *follow;
  char *exercise, *path;
  const char *file; // the last part of the path
  char *text;       // that was read last; NULL: none
  bool is_newer;    // than what was judged last
  int key;          // typed while a judgement ran; 0: none
  bool is_over;
  int code; // the exit's
};

static const char help[] =
    "usage: warpshop watch [EXERCISE [FILE]]\n"
    "Judges FILE (EXERCISE.cu or .lua in this folder, begun for you where it "
    "is "
    "not there) each time your editor saves it, and goes on to the next "
    "exercise "
    "when it passes. Without EXERCISE: the next that has not passed.\n"
    "Saves are learnt from file events (inotify), and by looking every 2 s "
    "where "
    "none come, as on some networks' and containers' folders. "
    "WARPSHOP_WATCH=poll "
    "does without events and looks 5 times a second.\n"
    "On a terminal keys act at once: h one more hint, l the exercises, r "
    "judges "
    "again, Enter opens the file in $VISUAL or $EDITOR, s goes on to the next, "
    "q "
    "quits.";

// ---- The file ----

static bool is_blank(const char *text) {
  while (isspace((unsigned char)*text))
    text++;
  return !*text;
}

// Reads the file: true when there is something else to judge than before.
static bool read_text(struct watch *w) {
  char *text;
  size_t bytes;
  struct err_info e = {0};
  if (file_read(w->path, MAX_SOURCE, &text, &bytes, &e)) {
    if (!access(w->path, F_OK))
      shop_warn(w->s, "%s", e.text);
    return false;
  }
  bool is_same = w->text && !strcmp(text, w->text);
  free(w->text);
  w->text = text;
  if (is_same)
    return false;
  if (!is_blank(text))
    return true;
  shop_note(w->s, "%s is empty: waiting for the next save", w->file);
  return false;
}

static bool take_news(struct watch *w) {
  switch (follow_look(w->follow)) {
  case FOLLOW_SAVED: return read_text(w);
  case FOLLOW_GONE:
    shop_note(w->s, "%s is gone: waiting for it to come back", w->file);
    free(w->text);
    w->text = NULL;
    break;
  case FOLLOW_NOTHING: break;
  }
  return false;
}

// ---- Judging ----

static bool is_leaving(int key) {
  return key == 'q' || key == KEY_INTERRUPT || key == KEY_END;
}

// What the judge asks: is its judgement of no use any more?
static bool is_stale(void *context) {
  struct watch *w = context;
  if (!w->key)
    w->key = terminal_wait(&w->keys, -1, 0);
  if (is_leaving(w->key))
    return true;
  w->is_newer = w->is_newer || take_news(w);
  return w->is_newer;
}

static void show_keys(struct watch *w) {
  int passed, all;
  exercises_count(w->s->journal, &passed, &all);
  if (w->keys.is_on)
    shop_note(w->s,
              "%d of %d passed · h hint · l list · r again · Enter edits · s "
              "skips · q quits",
              passed, all);
  else
    shop_note(w->s, "%d of %d passed", passed, all);
}

static bool open_next(struct watch *w);

static void show_pass(struct watch *w) {
  struct exercise_progress p = progress_of(w->s->journal, w->exercise);
  struct str text = STR_INIT;
  progress_add_text(&p, &text);
  shop_print(w->s, "%s: %s\n", w->exercise, text.data);
  str_free(&text);
}

static void show_page(struct watch *w, const char *page) {
  time_t now = time(NULL);
  struct tm tm;
  char when[16];
  localtime_r(&now, &tm);
  strftime(when, sizeof when, "%H:%M:%S", &tm);
  shop_note(w->s, "saved %s", when);
  shop_print(w->s, "%s", page);
}

static void judge(struct watch *w) {
  struct verdict *verdict;
  struct err_info e = {0};
  char *page, *text = xstrdup(w->text);
  w->is_newer = false;
  if (w->keys.is_on)
    shop_note(w->s, "judging %s", w->file);
  struct hand_in h = {{w->exercise, w->file, text}, is_stale, w};
  enum err err = hand_in(w->s, &h, &verdict, &page, &e);
  free(text);
  if (err) {
    shop_warn(w->s, "%s", e.text);
    return;
  }
  if (w->is_newer)
    shop_note(w->s, "saved again: judging what is there now");
  else if (!is_leaving(w->key)) {
    bool has_passed = verdict->verdict == VERDICT_PASS;
    show_page(w, page);
    if (has_passed)
      show_pass(w);
    if (w->s->has_just_passed) {
      exercises_show_editorial(w->s, w->exercise);
      ending_show(w->s, w->exercise, is_stale, w);
    }
    if (!has_passed || !open_next(w))
      show_keys(w);
  }
  free(page);
  verdict_free(verdict);
}

// ---- Exercises ----

static void close_exercise(struct watch *w) {
  follow_close(w->follow);
  free(w->exercise);
  free(w->path);
  free(w->text);
  w->follow = NULL;
  w->exercise = w->path = w->text = NULL;
}

static bool must_poll(void) {
  const char *way = getenv("WARPSHOP_WATCH");
  return way && !strcmp(way, "poll");
}

// The beginning of an answer, where there is no file yet.
static bool begin_file(struct watch *w, const char *starter) {
  struct err_info e;
  if (!access(w->path, F_OK))
    return true;
  if (!file_write(w->path, starter, strlen(starter), 0644, &e)) {
    shop_print(w->s, "%s holds the beginning of an answer.", w->path);
    return true;
  }
  shop_say("%s", e.text);
  return false;
}

// Takes over `exercise` and `path`; false when there is nothing to follow.
static bool follow(struct watch *w, char *exercise, char *path) {
  struct err_info e = {0};
  char *starter, *solution;
  close_exercise(w);
  w->exercise = exercise;
  w->path = path;
  const char *slash = strrchr(path, '/');
  w->file = slash ? slash + 1 : path;
  w->s->hints = 0;
  if (check_texts(exercise, &starter, &solution, &e)) {
    shop_say("%s", e.text);
    return false;
  }
  bool fine = begin_file(w, starter);
  w->follow = fine ? follow_open(path, must_poll(), LOOK_MS) : NULL;
  // What nobody has changed yet need not be told that it fails.
  w->is_newer = fine && read_text(w) && strcmp(w->text, starter) != 0;
  free(starter);
  free(solution);
  return fine;
}

static char *own_file(const char *folder, const char *exercise,
                      const char *extension) {
  const char *slash = strrchr(exercise, '/');
  return xasprintf("%s%s%s", folder, slash ? slash + 1 : exercise, extension);
}

// Shows the exercise and follows its file, or `file`. False with a sentence.
static bool open_exercise(struct watch *w, const char *exercise,
                          const char *file) {
  struct check_about about;
  struct err_info e = {0};
  if (check_about(exercise, &about, &e)) {
    shop_say("%s", e.text);
    return false;
  }
  const char *slash = w->path ? strrchr(w->path, '/') : NULL;
  char *folder =
      slash ? xstrndup(w->path, (size_t)(slash + 1 - w->path)) : xstrdup("");
  char *path =
      file ? xstrdup(file) : own_file(folder, exercise, about.extension);
  exercises_print_task(w->s, exercise, &about);
  seat_tell(w->s, EVENT_BEGIN, exercise, "", "");
  bool fine = follow(w, xstrdup(exercise), path);
  if (fine)
    shop_print(w->s, "%s is judged each time it is saved%s.\n", w->path,
               follow_fd(w->follow) < 0 ? " (without file events)" : "");
  free(folder);
  check_about_free(&about);
  return fine;
}

// Goes on to the next that has not passed; false when there is none, or it
// cannot be opened: then this is the end.
static bool open_next(struct watch *w) {
  char *name = exercises_next(w->s->journal, w->exercise);
  if (name)
    shop_note(w->s, "next:");
  bool has_next = name && open_exercise(w, name, NULL);
  if (has_next && !w->is_newer)
    show_keys(w);
  if (!name)
    exercises_print_end(w->s, NULL);
  w->is_over = !has_next;
  free(name);
  return has_next;
}

// ---- Keys ----

static void open_editor(struct watch *w) {
  terminal_keys_end(&w->keys);
  terminal_edit(w->s, w->path);
  terminal_keys_begin(&w->keys);
}

static void skip(struct watch *w) {
  char *name = exercises_next(w->s->journal, w->exercise);
  if (!name)
    exercises_print_end(w->s, w->exercise);
  else if (!open_exercise(w, name, NULL))
    w->is_over = true;
  else if (!w->is_newer)
    show_keys(w);
  free(name);
}

static void act(struct watch *w, int key) {
  switch (key) {
  case 'h': exercises_hint(w->s, w->exercise); break;
  case 'l': exercises_list(w->s); break;
  case 'r': w->is_newer = w->text && !is_blank(w->text); break;
  case 'e':
  case '\n': open_editor(w); break;
  case 's': skip(w); return;
  case 'q':
  case KEY_END: w->is_over = true; return;
  case KEY_INTERRUPT:
    w->is_over = true;
    w->code = 128 + 2;
    return;
  default: break;
  }
  show_keys(w);
}

static void run(struct watch *w) {
  while (!w->is_over) {
    fflush(stdout);
    int key = w->key;
    w->key = 0;
    if (key)
      act(w, key);
    else if (w->is_newer)
      judge(w);
    else if ((key = terminal_wait(&w->keys, follow_fd(w->follow),
                                  follow_interval_ms(w->follow))))
      act(w, key);
    else
      w->is_newer = take_news(w);
  }
}

static bool open_judge(struct watch *w) {
  struct err_info e = {0};
  if (!hand_in_open(w->s, is_stale, w, &e))
    return true;
  shop_say("%s", e.text);
  w->code = EXIT_MACHINE;
  return false;
}

static int watch(struct shop *s, const char *exercise, const char *file) {
  struct watch w = {.s = s, .code = EXIT_PASSED};
  struct err_info e;
  int code = shop_open_lua(s);
  if (code != EXIT_PASSED)
    return code;
  if (journal_open(NULL, &s->journal, &e))
    shop_say("progress is not kept: %s", e.text);
  terminal_catch_signals();
  char *next = exercise ? NULL : exercises_next(s->journal, NULL);
  if (!exercise && !next) {
    exercises_print_end(s, NULL);
    shop_print(s, "warpshop watch NAME opens one once more.");
  } else if (!open_exercise(&w, exercise ? exercise : next, file)) {
    w.code = EXIT_USAGE;
  } else if (open_judge(&w)) {
    terminal_keys_begin(&w.keys);
    if (!w.is_newer)
      show_keys(&w);
    run(&w);
    terminal_keys_end(&w.keys);
  }
  free(next);
  close_exercise(&w);
  return w.code;
}

int sub_watch(struct shop *s, int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
      shop_print(s, "%s", help);
      return EXIT_PASSED;
    }
  if (argc <= 3 && (argc < 2 || argv[1][0] != '-'))
    return watch(s, argc > 1 ? argv[1] : NULL, argc > 2 ? argv[2] : NULL);
  shop_say("usage: warpshop watch [EXERCISE [FILE]]");
  return EXIT_USAGE;
}
