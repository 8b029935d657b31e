// SPDX-License-Identifier: Apache-2.0
// `class watch` on a screen: looks at the room twice a second, and does what keys say.
// Who is selected stays so, wherever the list puts them.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "class/class_main.h"
#include "class/desk.h"
#include "class/queue.h"
#include "gpu/turnstile/turnstile.h"

// A look at a room on a slow disk may take most of a second: it then gets a tenth of
// the time.
enum { LOOK_MS = 400, LOOK_SHARE = 10, GPUS_S = 2 };

// ---- Rows ----

int desk_count(const struct desk *k) {
  return (int)json_array_size(json_object_get(k->now, "learners"));
}

json_t *desk_learner(const struct desk *k, int row) {
  return row < 0
             ? NULL
             : json_array_get(json_object_get(k->now, "learners"), (size_t)row);
}

static uid_t uid_of(const json_t *learner) {
  return (uid_t)json_integer_value(json_object_get(learner, "uid"));
}

int desk_row(const struct desk *k) {
  for (int i = 0; k->has_selected && i < desk_count(k); i++)
    if (uid_of(desk_learner(k, i)) == k->selected)
      return i;
  return -1;
}

static void select_row(struct desk *k, int row) {
  int last = desk_count(k) - 1;
  const json_t *l = desk_learner(k, row < 0 ? 0 : row > last ? last : row);
  k->has_selected = l != NULL;
  k->selected = l ? uid_of(l) : 0;
}

char *desk_name(const struct desk *k, const json_t *learner) {
  return view_name(k->view, uid_of(learner), k->hides_names);
}

const char *desk_text(const json_t *o, const char *key) {
  const char *text = json_string_value(json_object_get(o, key));
  return text ? text : "";
}

char *desk_place(const json_t *learner) {
  const char *lesson = desk_text(learner, "lesson");
  const char *exercise = desk_text(learner, "exercise");
  const char *end = strstr(lesson, ".md");
  int number = atoi(lesson),
      n = end ? (int)(end - lesson) : (int)strlen(lesson);
  char *where =
      number > 0 ? xasprintf("%d", number) : xasprintf("%.*s", n, lesson);
  char *place =
      *exercise ? xasprintf("%s%s%s", where, *where ? " " : "", exercise)
      : *where  ? xasprintf("%s page %s", where, desk_text(learner, "page"))
                : xstrdup("");
  free(where);
  return place;
}

char *desk_mistake(const json_t *learner) {
  const char *code = desk_text(learner, "code");
  int times = (int)json_integer_value(json_object_get(learner, "times"));
  return times > 1 ? xasprintf("%s, %d times", code, times) : xstrdup(code);
}

// ---- What is said ----

static void say(struct desk *k, bool is_bad, const char *text) {
  free(k->said);
  k->said = xstrdup(text);
  k->is_bad = is_bad;
}

static struct view_options options(bool hides) {
  return (struct view_options){
      .now_ms = clock_day_ms(), .hides_names = hides, .width = 80};
}

// ---- Looks ----

static void look(struct desk *k) {
  struct err_info e;
  struct view_options all = options(false), shown = options(k->hides_names);
  if (view_refresh(k->view, &e))
    say(k, true, e.text);
  json_decref(k->now);
  json_decref(k->queues);
  k->now = view_json(k->view, &all);
  k->queues = queue_json(k->view, &shown);
  k->is_paused = pause_is_in(k->room->folder);
  if (desk_row(k) < 0)
    select_row(k, 0);
}

static void take_survey(struct desk *k) {
  if (!k->gpus || !nvml_watch_take(k->gpus, &k->survey))
    return;
  k->has_survey = !k->survey.err;
  if (k->survey.err || nvml_watch_fd(k->gpus) < 0) {
    nvml_watch_close(k->gpus); // no driver: there will be none
    k->gpus = NULL;
  }
}

// ---- What keys do ----

static const char nobody[] = "Nobody has joined this room yet.";

static void say_no_key(struct desk *k, int key) {
  say(k, false,
      key == DISPLAY_PASTED ? "Pasted text does nothing here; ? shows the keys."
                            : "This key does nothing here; ? shows the keys.");
}

static void open_source(struct desk *k) {
  const json_t *l = desk_learner(k, desk_row(k));
  const char *exercise = desk_text(l, "exercise");
  struct err_info e;
  if (!l) {
    say(k, false, nobody);
    return;
  }
  char *name = desk_name(k, l);
  newest_free(&k->source);
  enum err err = newest_read(k->room, uid_of(l), *exercise ? exercise : NULL,
                             &k->source, &e);
  if (err == ERR_NOT_FOUND && *exercise) // of another exercise, then
    err = newest_read(k->room, uid_of(l), NULL, &k->source, &e);
  if (err) {
    char *text = err == ERR_NOT_FOUND
                     ? xasprintf("%s has handed nothing in yet.", name)
                     : xstrdup(e.text);
    say(k, true, text);
    free(text);
  } else {
    const char *file = strrchr(k->source.path, '/');
    free(k->source_title);
    k->source_title =
        xasprintf("%s · %s · %s · read only", name,
                  file ? file + 1 : k->source.path, k->source.when);
    k->source_first = 0;
    k->mode = DESK_SOURCE;
  }
  free(name);
}

static void send_hint(struct desk *k) {
  const json_t *l = desk_learner(k, desk_row(k));
  struct err_info e;
  if (!l || !k->typed.text[strspn(k->typed.text, " ")]) {
    say(k, false, "no hint was sent");
    return;
  }
  char *name = desk_name(k, l);
  if (class_send_hint(k->room, uid_of(l), k->typed.text, &e)) {
    say(k, true, e.text);
  } else {
    char *text = xasprintf(
        "Told to %s alone, before the next line at the prompt.", name);
    say(k, false, text);
    free(text);
  }
  free(name);
}

static void pause_or_resume(struct desk *k) {
  struct err_info e;
  if (class_set_pause(k->room, !k->is_paused, &e)) {
    say(k, true, e.text);
    return;
  }
  k->is_paused = !k->is_paused;
  say(k, false,
      k->is_paused ? "No ranked turn begins; practice goes on."
                   : "Ranked turns go on.");
}

// Into a new file of the folder that the program was started in, for the instructor
// alone to read.
static void export_all(struct desk *k) {
  struct view_options q = options(k->hides_names);
  time_t now = time(NULL);
  struct tm tm;
  char when[40];
  json_t *o = view_json(k->view, &q);
  json_object_set(o, "gpus", k->queues);
  json_object_set_new(o, "paused", json_boolean(k->is_paused));
  strftime(when, sizeof when, "%Y-%m-%d-%H%M%S", localtime_r(&now, &tm));
  char *path = xasprintf("class-%s-%s.json", k->room->name, when);
  char *text = json_dumps(o, JSON_INDENT(2));
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  bool is_written = fd >= 0 && file_write_all(fd, text, strlen(text)) &&
                    file_write_all(fd, "\n", 1);
  int problem = errno;
  if (fd >= 0 && close(fd) && is_written) {
    problem = errno;
    is_written = false;
  }
  char *told = is_written ? xasprintf("written: %s", path)
                          : xasprintf("%s: %s", path, strerror(problem));
  say(k, !is_written, told);
  free(told);
  free(text);
  free(path);
  json_decref(o);
}

// ---- Finding ----

static bool holds(const struct desk *k, const json_t *l, const char *text) {
  char *name = desk_name(k, l), *place = desk_place(l), *on = desk_mistake(l);
  bool found =
      strcasestr(name, text) || strcasestr(place, text) || strcasestr(on, text);
  free(name);
  free(place);
  free(on);
  return found;
}

// The next one behind who is selected, and from the top on.
static void find(struct desk *k) {
  int from = desk_row(k), count = desk_count(k);
  for (int i = 1; i <= count; i++) {
    int row = (from + i + count) % count;
    if (holds(k, desk_learner(k, row), k->typed.text)) {
      select_row(k, row);
      say(k, false, "");
      return;
    }
  }
  char *text = xasprintf("nobody has \"%s\"", k->typed.text);
  say(k, true, text);
  free(text);
}

// ---- Keys ----

static void press_typing(struct desk *k, int key) {
  enum desk_mode mode = k->mode;
  if (key == DISPLAY_ESCAPE || key == DISPLAY_INTERRUPT) {
    k->mode = DESK_LIST;
    typed_set(&k->typed, "");
  } else if (key == '\n') {
    k->mode = DESK_LIST;
    if (mode == DESK_HINT)
      send_hint(k);
    else if (k->typed.text[0])
      find(k);
    typed_set(&k->typed, "");
  } else {
    typed_press(&k->typed, key, display_pasted(k->d));
  }
}

static void press_source(struct desk *k, int key) {
  say(k, false, "");
  switch (key) {
  case 'q':
  case '\n':
  case DISPLAY_INTERRUPT:
  case DISPLAY_ESCAPE: k->mode = DESK_LIST; break;
  case 'k':
  case DISPLAY_UP: k->source_first--; break;
  case 'j':
  case DISPLAY_DOWN: k->source_first++; break;
  case DISPLAY_PAGE_UP: k->source_first -= k->source_shown; break;
  case ' ':
  case DISPLAY_PAGE_DOWN: k->source_first += k->source_shown; break;
  case DISPLAY_HOME: k->source_first = 0; break;
  case DISPLAY_END: k->source_first = 1 << 30; break;
  default:
    say(k, false, "This key does nothing here; q goes back to the room.");
    break;
  }
}

static void move(struct desk *k, int key) {
  int row = desk_row(k);
  switch (key) {
  case 'k':
  case DISPLAY_UP: select_row(k, row - 1); break;
  case 'j':
  case DISPLAY_DOWN: select_row(k, row + 1); break;
  case DISPLAY_PAGE_UP: select_row(k, row - k->shown); break;
  case DISPLAY_PAGE_DOWN: select_row(k, row + k->shown); break;
  case DISPLAY_HOME: select_row(k, 0); break;
  case DISPLAY_END: select_row(k, desk_count(k) - 1); break;
  default: say_no_key(k, key); return;
  }
  if (!desk_count(k))
    say(k, false, nobody);
  else if (desk_row(k) == row)
    say(k, false, row > 0 ? "The list ends here." : "The list begins here.");
}

static void press_list(struct desk *k, int key) {
  say(k, false, "");
  switch (key) {
  case 'q':
  case DISPLAY_INTERRUPT: k->is_over = true; break;
  case DISPLAY_ESCAPE: say(k, false, "q leaves; ? shows the keys."); break;
  case '?': k->mode = DESK_HELP; break;
  case '\n': open_source(k); break;
  case 'h':
    typed_set(&k->typed, "");
    if (desk_row(k) >= 0)
      k->mode = DESK_HINT;
    else
      say(k, false, nobody);
    break;
  case '/':
    typed_set(&k->typed, "");
    k->mode = DESK_FIND;
    break;
  case 'n':
    k->hides_names = !k->hides_names;
    look(k);
    break;
  case 'p': pause_or_resume(k); break;
  case 'e': export_all(k); break;
  default: move(k, key); break;
  }
}

static void press(struct desk *k, int key) {
  if (key == DISPLAY_LEAVE || key == DISPLAY_GONE)
    k->is_over = true;
  else if (k->mode == DESK_HELP)
    k->mode = DESK_LIST;
  else if (k->mode == DESK_SOURCE)
    press_source(k, key);
  else if (k->mode == DESK_LIST)
    press_list(k, key);
  else
    press_typing(k, key);
}

// ---- The loop ----

// Looks, and says when the next look is due.
static double look_now(struct desk *k) {
  double from = clock_s();
  look(k);
  double took = clock_s() - from;
  return clock_s() + LOOK_MS / 1e3 + took * LOOK_SHARE;
}

int desk_run(struct desk *k) {
  struct err_info e;
  double next_s = look_now(k), next_gpus_s = 0;
  if (nvml_watch_open(&k->gpus, &e))
    k->gpus = NULL;
  desk_draw(k);
  while (!k->is_over) {
    if (k->gpus && clock_s() >= next_gpus_s) {
      nvml_watch_ask(k->gpus);
      next_gpus_s = clock_s() + GPUS_S;
    }
    double rest = next_s - clock_s();
    int key = display_wait(k->d, k->gpus ? nvml_watch_fd(k->gpus) : -1,
                           rest <= 0 ? 0 : (int)(rest * 1000) + 1);
    if (key == DISPLAY_READY)
      take_survey(k);
    else if (key == DISPLAY_LATE)
      next_s = look_now(k);
    else if (key != DISPLAY_REDRAW)
      press(k, key);
    desk_draw(k);
  }
  nvml_watch_close(k->gpus);
  newest_free(&k->source);
  free(k->source_title);
  free(k->said);
  json_decref(k->now);
  json_decref(k->queues);
  return 0;
}
