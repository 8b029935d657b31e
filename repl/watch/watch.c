// SPDX-License-Identifier: Apache-2.0
// warpshop watch: a file judged at each save; the next exercise when it passes.
// One thread: while a judgement runs, the judge asks now and then whether to
// stop, and that is when newer saves and keys are looked for.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/text/text.h"
#include "repl/eval/eval.h"
#include "repl/exercise/exercise.h"
#include "repl/lesson/lesson.h"
#include "repl/progress/progress.h"
#include "repl/shop.h"
#include "repl/tui/tui.h"
#include "repl/watch/answer.h"

struct watch {
  struct shop *s;
  struct terminal_keys keys;
  struct answer answer;
  bool is_newer; // than what was judged last
  int key;       // typed while a judgement ran; 0: none
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

// True when there is something else to judge than before.
static bool take_news(struct watch *w) {
  struct err_info e = {0};
  const char *file = w->answer.file;
  switch (answer_look(&w->answer, &e)) {
  case ANSWER_SAVED: return true;
  case ANSWER_EMPTY:
    shop_note(w->s, "%s is empty: waiting for the next save", file);
    break;
  case ANSWER_GONE:
    shop_note(w->s, "%s is gone: waiting for it to come back", file);
    break;
  case ANSWER_UNREADABLE: shop_warn(w->s, "%s", e.text); break;
  case ANSWER_NOTHING: break;
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
  struct exercise_progress p = progress_of(w->s->journal, w->answer.exercise);
  struct str text = STR_INIT;
  progress_add_text(&p, &text);
  shop_print(w->s, "%s: %s\n", w->answer.exercise, text.data);
  str_free(&text);
}

static void show_page(struct watch *w, const char *page) {
  time_t now = time(NULL);
  struct tm tm;
  char when[16];
  localtime_r(&now, &tm);
  strftime(when, sizeof when, "%H:%M:%S", &tm);
  shop_note(w->s, "saved %s", when);
  shop_report(w->s, page);
}

static void judge(struct watch *w) {
  struct verdict *verdict;
  struct err_info e = {0};
  char *page, *text = xstrdup(w->answer.text);
  w->is_newer = false;
  if (w->keys.is_on)
    shop_note(w->s, "judging %s", w->answer.file);
  struct hand_in h = {{w->answer.exercise, w->answer.file, text}, is_stale, w};
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
      exercises_show_editorial(w->s, w->answer.exercise);
      ending_show(w->s, w->answer.exercise, is_stale, w);
    }
    if (!has_passed || !open_next(w))
      show_keys(w);
  }
  free(page);
  verdict_free(verdict);
}

// ---- Exercises ----

// Takes over `path`; false when there is nothing to follow.
static bool follow(struct watch *w, const char *exercise, char *path) {
  struct err_info e = {0};
  answer_close(&w->answer);
  w->s->hints = 0;
  if (answer_open(&w->answer, exercise, path, NULL, &e)) {
    shop_say("%s", e.text);
    return false;
  }
  if (w->answer.was_begun)
    shop_print(w->s, "%s holds the beginning of an answer.", path);
  // What nobody has changed yet need not be told that it fails.
  w->is_newer = !answer_is_begun_only(&w->answer);
  return true;
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
  const char *slash = w->answer.path ? strrchr(w->answer.path, '/') : NULL;
  char *folder =
      slash ? xstrndup(w->answer.path, (size_t)(slash + 1 - w->answer.path))
            : xstrdup("");
  char *path =
      file ? xstrdup(file) : answer_path(folder, exercise, about.extension);
  exercises_print_task(w->s, exercise, &about);
  seat_tell(w->s, EVENT_BEGIN, exercise, "", "");
  bool fine = follow(w, exercise, path);
  if (fine)
    shop_print(w->s, "%s is judged each time it is saved%s.\n", w->answer.path,
               answer_fd(&w->answer) < 0 ? message(" (without file events)")
                                         : "");
  free(folder);
  check_about_free(&about);
  return fine;
}

// Goes on to the next that has not passed; false when there is none, or it
// cannot be opened: then this is the end.
static bool open_next(struct watch *w) {
  char *name = exercises_next(w->s->journal, w->answer.exercise);
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
  terminal_edit(w->s, w->answer.path);
  terminal_keys_begin(&w->keys);
}

static void skip(struct watch *w) {
  char *name = exercises_next(w->s->journal, w->answer.exercise);
  if (!name)
    exercises_print_end(w->s, w->answer.exercise);
  else if (!open_exercise(w, name, NULL))
    w->is_over = true;
  else if (!w->is_newer)
    show_keys(w);
  free(name);
}

static void act(struct watch *w, int key) {
  screen_measure(&w->s->screen);
  switch (key) {
  case 'h': exercises_hint(w->s, w->answer.exercise, NULL); break;
  case 'l': exercises_list(w->s); break;
  case 'r': w->is_newer = answer_has_text(&w->answer); break;
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
    else if ((key = terminal_wait(&w->keys, answer_fd(&w->answer),
                                  answer_interval_ms(&w->answer))))
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
  answer_close(&w.answer);
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
