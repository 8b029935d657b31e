// SPDX-License-Identifier: Apache-2.0
// :timeline: copies, kernels and waits of a line, by stream, in the host's time;
// and the same in Chrome's trace event format.
#include <stdio.h>
#include <string.h>

#include "base/text/text.h"
#include "repl/picture/picture.h"

enum { MOST_ROWS = 40, LEFT = 45, LEAST_CHART = 10, MOST_CHART = 60 };

// A word for the reader; files for other programs have the English ones.
typedef const char *(*word_of)(const char *english);

static const char *in_english(const char *word) {
  return word;
}

static void add_what(const struct ltrace_event *e, word_of of,
                     struct str *out) {
  static const char *const words[] = {[LTRACE_COPY_IN] = MESSAGE("copy in"),
                                      [LTRACE_COPY_OUT] = MESSAGE("copy out"),
                                      [LTRACE_COPY_ON] = MESSAGE("copy inside"),
                                      [LTRACE_KERNEL] = MESSAGE("kernel"),
                                      [LTRACE_GRAPH] = MESSAGE("graph"),
                                      [LTRACE_STREAM_WAIT] =
                                          MESSAGE("waits for event"),
                                      [LTRACE_HOST_WAIT] = MESSAGE("waits")};
  char bytes[STR_BYTES];
  str_add(out, of(words[e->kind]));
  if (*e->name)
    str_addf(out, " %s", e->name);
  if (e->kind <= LTRACE_COPY_ON)
    str_addf(out, " %s", str_bytes(bytes, (double)e->bytes));
}

static void add_stream(int stream, word_of of, struct str *out) {
  if (stream == LTRACE_HOST)
    str_add(out, of(MESSAGE("host")));
  else if (stream == 0)
    str_add(out, of(MESSAGE("default")));
  else
    str_addf(out, of(MESSAGE("stream %d")), stream);
}

// What is queued is a moment; a wait began when the call before it was made.
static double begin_of(const struct ltrace *t, int i) {
  return t->list[i].kind == LTRACE_HOST_WAIT ? i ? t->list[i - 1].at_us : 0
                                             : t->list[i].at_us;
}

static double all_us(const struct ltrace *t) {
  return t->count && t->list[t->count - 1].at_us > 0
             ? t->list[t->count - 1].at_us
             : 1;
}

static void add_row(const struct ltrace *t, int i, int columns,
                    struct str *out) {
  const struct ltrace_event *e = &t->list[i];
  struct str stream = STR_INIT, what = STR_INIT;
  int from = (int)(begin_of(t, i) / all_us(t) * (columns - 1)),
      to = (int)(e->at_us / all_us(t) * (columns - 1));
  add_stream(e->stream, message, &stream);
  add_what(e, message, &what);
  str_addf(out, "%9.1f  %-9s %-22.22s |%*s", e->at_us, stream.data, what.data,
           from, "");
  if (e->kind != LTRACE_HOST_WAIT)
    str_add(out, "#");
  for (int x = from; x <= to && e->kind == LTRACE_HOST_WAIT; x++)
    str_add(out, "=");
  str_add(out, "\n");
  str_free(&stream);
  str_free(&what);
}

static void say_row(const struct ltrace *t, int i, struct str *out) {
  const struct ltrace_event *e = &t->list[i];
  str_addf(out, "At %.1f us, ", e->at_us);
  add_stream(e->stream, message, out);
  str_add(out, ": ");
  add_what(e, message, out);
  if (e->kind == LTRACE_HOST_WAIT)
    str_addf(out, " since %.1f us", begin_of(t, i));
  str_add(out, ".\n");
}

void picture_timeline(const struct ltrace *t, bool is_virtual,
                      const struct picture_place *place, struct str *out) {
  int columns = place->columns - LEFT - 1;
  columns = columns > MOST_CHART    ? MOST_CHART
            : columns < LEAST_CHART ? LEAST_CHART
                                    : columns;
  if (!t->count) {
    str_add(out, "Nothing was copied, launched or waited for.\n");
    return;
  }
  if (!place->is_plain)
    str_addf(out, "       us  %-9s %-22s  0%*.0f us\n", message("stream"),
             message("what"), columns - 4, all_us(t));
  for (int i = 0; i < t->count && i < MOST_ROWS; i++)
    if (place->is_plain)
      say_row(t, i, out);
    else
      add_row(t, i, columns, out);
  if (t->count > MOST_ROWS || t->left_out)
    str_addf(out, "and %ld calls more\n",
             (t->count > MOST_ROWS ? t->count - MOST_ROWS : 0) + t->left_out);
  str_add(out,
          place->is_plain
              ? "Times are the host's: when something was queued, and "
                "until when the host waited, at most since the call before.\n"
              : "Times are the host's: # something is queued, = the host "
                "waits, at most since the call before.\n");
  if (is_virtual)
    str_add(out, "The virtual GPU runs its streams one after another, in this "
                 "order; a real one may overlap them.\n");
}

// ---- Chrome's trace event format ----

static void add_json(const char *text, struct str *out) {
  for (const char *c = text; *c; c++) {
    if (*c == '"' || *c == '\\')
      str_addf(out, "\\%c", *c);
    else if ((unsigned char)*c < ' ')
      str_addf(out, "\\u%04x", (unsigned char)*c);
    else
      str_add_char(out, *c);
  }
}

// The host's row is thread 0, the default stream's 1.
static int row_of(const struct ltrace_event *e) {
  return e->stream + 1;
}

static void add_names(const struct ltrace *t, struct str *out) {
  for (int i = 0; i < t->count; i++) {
    bool is_new = true;
    for (int n = 0; n < i && is_new; n++)
      is_new = t->list[n].stream != t->list[i].stream;
    if (!is_new)
      continue;
    str_addf(out,
             "%s\n{\"name\":\"thread_name\",\"ph\":\"M\",\"ts\":0,\"pid\":1,"
             "\"tid\":%d,\"args\":{\"name\":\"",
             i ? "," : "", row_of(&t->list[i]));
    add_stream(t->list[i].stream, in_english, out);
    str_add(out, "\"}}");
  }
}

void picture_trace(const struct ltrace *t, struct str *out) {
  struct str what = STR_INIT;
  str_add(out, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
  add_names(t, out);
  for (int i = 0; i < t->count; i++) {
    const struct ltrace_event *e = &t->list[i];
    bool is_wait = e->kind == LTRACE_HOST_WAIT;
    str_clear(&what);
    add_what(e, in_english, &what);
    str_add(out, ",\n{\"name\":\"");
    add_json(what.data, out);
    str_addf(out, "\",\"cat\":\"%s\",\"ph\":\"%s\",\"ts\":%.3f,",
             is_wait                    ? "wait"
             : e->kind == LTRACE_KERNEL ? "kernel"
                                        : "queue",
             is_wait ? "X" : "i", begin_of(t, i));
    if (is_wait)
      str_addf(out, "\"dur\":%.3f,", e->at_us - begin_of(t, i));
    else
      str_add(out, "\"s\":\"t\",");
    str_addf(out, "\"pid\":1,\"tid\":%d,\"args\":{\"bytes\":%zu}}", row_of(e),
             e->bytes);
  }
  str_add(out, "\n]}\n");
  str_free(&what);
}
