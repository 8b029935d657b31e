// SPDX-License-Identifier: Apache-2.0
// :timeline: copies, kernels and waits of a line, by stream: when they ran, by the
// device's events, and when they were queued, by the host's clock; and the same in
// Chrome's trace event format.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text/text.h"
#include "repl/picture/picture.h"

enum {
  MOST_ROWS = 40,
  MOST_LANES = 16,
  LABEL = 9, // of a stream
  LEAST_CHART = 10,
  MOST_CHART = 120,
  TIME = 9,
  NUMBERS = 3 * TIME + 2 + LABEL + 2, // what stands before the last column
  LEAST_WHAT = 12,
};

// A word for the reader; files for other programs have the English ones.
typedef const char *(*word_of)(const char *english);

static const char *in_english(const char *word) {
  return word;
}

static const char *word(enum ltrace_kind kind, word_of of) {
  static const char *const words[] = {[LTRACE_COPY_IN] = MESSAGE("copy in"),
                                      [LTRACE_COPY_OUT] = MESSAGE("copy out"),
                                      [LTRACE_COPY_ON] = MESSAGE("copy inside"),
                                      [LTRACE_KERNEL] = MESSAGE("kernel"),
                                      [LTRACE_GRAPH] = MESSAGE("graph"),
                                      [LTRACE_STREAM_WAIT] =
                                          MESSAGE("waits for event"),
                                      [LTRACE_HOST_WAIT] = MESSAGE("waits")};
  return of(words[kind]);
}

static char letter(enum ltrace_kind kind) {
  static const char letters[] = {
      [LTRACE_COPY_IN] = '>',   [LTRACE_COPY_OUT] = '<',
      [LTRACE_COPY_ON] = 'o',   [LTRACE_KERNEL] = '#',
      [LTRACE_GRAPH] = 'G',     [LTRACE_STREAM_WAIT] = '-',
      [LTRACE_HOST_WAIT] = '=',
  };
  return letters[kind];
}
enum { KINDS = LTRACE_HOST_WAIT + 1 };

static void add_what(const struct ltrace_event *e, word_of of,
                     struct str *out) {
  char bytes[STR_BYTES];
  str_add(out, word(e->kind, of));
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

static bool is_known(const struct ltrace_event *e) {
  return !isnan(e->start_us) && !isnan(e->end_us);
}

// From where to where it is drawn: a moment, where nobody knows when it ran.
static double begin_of(const struct ltrace_event *e) {
  return is_known(e) ? fmax(e->start_us, 0) : e->queued_us;
}

static double end_of(const struct ltrace_event *e) {
  return is_known(e) ? fmax(e->end_us, begin_of(e)) : e->queued_us;
}

static double all_us(const struct ltrace *t) {
  double all = 1;
  for (int i = 0; i < t->count; i++)
    all = fmax(all, fmax(end_of(&t->list[i]), t->list[i].queued_us));
  return all;
}

// ---- The picture: a row for the host and for each stream ----

struct lane {
  int stream;
  char cells[MOST_CHART + 1];
};

struct lanes {
  struct lane list[MOST_LANES];
  int count, columns;
  bool is_used[KINDS];
};

static bool is_first_of_stream(const struct ltrace *t, int i) {
  for (int n = 0; n < i; n++)
    if (t->list[n].stream == t->list[i].stream)
      return false;
  return true;
}

static struct lane *lane_of(struct lanes *l, int stream) {
  for (int i = 0; i < l->count; i++)
    if (l->list[i].stream == stream)
      return &l->list[i];
  if (l->count == MOST_LANES)
    return NULL;
  struct lane *new = &l->list[l->count++];
  new->stream = stream;
  memset(new->cells, ' ', (size_t)l->columns);
  new->cells[l->columns] = 0;
  return new;
}

// A kernel's name stands in its bar, where that is long enough.
static void draw_bar(struct lane *l, const struct ltrace_event *e, int from,
                     int to) {
  size_t n = strlen(e->name), room = (size_t)(to - from + 1);
  memset(l->cells + from, letter(e->kind), room);
  if (n && n + 2 <= room)
    memcpy(l->cells + from + 1, e->name, n);
}

// What is short comes over what is long, or it would not be seen.
static void draw_lanes(struct lanes *l, const struct ltrace *t, double all) {
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < t->count; i++) {
      const struct ltrace_event *e = &t->list[i];
      struct lane *on = lane_of(l, e->stream);
      int from = (int)(begin_of(e) / all * (l->columns - 1)),
          to = (int)(end_of(e) / all * (l->columns - 1));
      if (on && (from == to) == (pass == 1))
        draw_bar(on, e, from, to);
      l->is_used[e->kind] = true;
    }
}

static void say_what_has_no_lane(struct lanes *l, const struct ltrace *t,
                                 struct str *out) {
  int n = 0;
  for (int i = 0; i < t->count; i++)
    n += is_first_of_stream(t, i) && !lane_of(l, t->list[i].stream);
  if (n)
    str_addf(out, "and %d stream%s more\n", n, picture_plural((uint64_t)n));
}

static void add_legend(const struct lanes *l, struct str *out) {
  const char *between = "";
  for (int kind = 0; kind < KINDS; kind++)
    if (l->is_used[kind]) {
      str_addf(out, "%s%c %s", between, letter(kind), word(kind, message));
      between = " · ";
    }
  str_add(out, "\n");
}

static void add_lanes(const struct ltrace *t, double all, double unit,
                      int columns, struct str *out) {
  struct lanes l = {.columns = columns};
  struct str end = STR_INIT, name = STR_INIT;
  for (int i = 0; i < t->count; i++)
    if (t->list[i].stream == LTRACE_HOST)
      lane_of(&l, LTRACE_HOST); // stands above the streams
  draw_lanes(&l, t, all);
  str_addf(&end, "%.0f %s", all / unit, unit > 1 ? "ms" : "us");
  str_addf(out, "%*s  0%*s\n", LABEL, "", columns - 1, end.data);
  for (int i = 0; i < l.count; i++) {
    str_clear(&name);
    add_stream(l.list[i].stream, message, &name);
    width_pad(out, name.data, LABEL);
    int n = columns;
    while (n && l.list[i].cells[n - 1] == ' ')
      n--;
    str_addf(out, " |%.*s\n", n, l.list[i].cells);
  }
  say_what_has_no_lane(&l, t, out);
  add_legend(&l, out);
  str_free(&name);
  str_free(&end);
}

// ---- The numbers: a row for each call ----

static void add_time(double us, double unit, struct str *out) {
  if (isnan(us))
    str_addf(out, "%*s", TIME, "");
  else
    str_addf(out, "%*.1f", TIME, us / unit);
}

static void end_row(struct str *out) {
  str_trim_end(out);
  str_add(out, "\n");
}

static void add_head(double unit, struct str *out) {
  const char *titles[] = {MESSAGE("queued"), MESSAGE("began"), MESSAGE("took")};
  for (int i = 0; i < 3; i++) {
    const char *title = message(titles[i]);
    int room = TIME - width_of(title, strlen(title));
    str_addf(out, "%*s%s", room > 0 ? room : 0, "", title);
  }
  str_add(out, "  ");
  width_pad(out, message("stream"), LABEL);
  str_addf(out, "  %s (%s)\n", message("what"), unit > 1 ? "ms" : "us");
}

static void add_row(const struct ltrace_event *e, double unit, int columns,
                    struct str *out) {
  struct str stream = STR_INIT, what = STR_INIT;
  bool is_wait = e->kind == LTRACE_HOST_WAIT;
  add_stream(e->stream, message, &stream);
  add_what(e, message, &what);
  add_time(is_wait ? NAN : e->queued_us, unit, out);
  add_time(is_known(e) ? e->start_us : NAN, unit, out);
  add_time(is_known(e) ? e->end_us - e->start_us : NAN, unit, out);
  str_add(out, "  ");
  width_pad(out, stream.data, LABEL);
  str_add(out, "  ");
  width_pad(out, what.data, columns);
  end_row(out);
  str_free(&stream);
  str_free(&what);
}

// ---- In sentences ----

static void say_row(const struct ltrace_event *e, double unit,
                    struct str *out) {
  const char *in = unit > 1 ? "ms" : "us";
  struct str who = STR_INIT;
  add_stream(e->stream, message, &who);
  str_add(&who, ": ");
  add_what(e, message, &who);
  if (!is_known(e))
    str_addf(out, message("Queued at %.1f %s on %s; when it ran is not known."),
             e->queued_us / unit, in, who.data);
  else if (e->kind == LTRACE_HOST_WAIT)
    str_addf(out, message("From %.1f %s on, %s, for %.1f %s."),
             e->start_us / unit, in, who.data, (e->end_us - e->start_us) / unit,
             in);
  else
    str_addf(out,
             message("From %.1f %s on, %s, for %.1f %s; queued at %.1f %s."),
             e->start_us / unit, in, who.data, (e->end_us - e->start_us) / unit,
             in, e->queued_us / unit, in);
  str_add(out, "\n");
  str_free(&who);
}

static int within(int n, int least, int most) {
  return n < least ? least : n > most ? most : n;
}

void picture_timeline(const struct ltrace *t, bool is_virtual,
                      const struct picture_place *place, struct str *out) {
  enum { MOST_US = 1000000 };
  if (!t->count) {
    str_add(out, "Nothing was copied, launched or waited for.\n");
    return;
  }
  double all = all_us(t), unit = all < MOST_US ? 1 : 1e3;
  if (!place->is_plain) {
    int columns = place->columns - LABEL - 3;
    add_lanes(t, all, unit, within(columns, LEAST_CHART, MOST_CHART), out);
    add_head(unit, out);
  }
  int what = within(place->columns - 1 - NUMBERS, LEAST_WHAT, 60);
  for (int i = 0; i < t->count && i < MOST_ROWS; i++)
    if (place->is_plain)
      say_row(&t->list[i], unit, out);
    else
      add_row(&t->list[i], unit, what, out);
  long more = (t->count > MOST_ROWS ? t->count - MOST_ROWS : 0) + t->left_out;
  if (more)
    str_addf(out, "and %ld call%s more\n", more,
             picture_plural((uint64_t)more));
  str_add(out, "When something was queued, and when the host waited, is by the "
               "host's clock; when it ran, by events on the device.\n");
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
    if (!is_first_of_stream(t, i))
      continue;
    str_addf(out,
             "%s\n{\"name\":\"thread_name\",\"ph\":\"M\",\"ts\":0,\"pid\":1,"
             "\"tid\":%d,\"args\":{\"name\":\"",
             i ? "," : "", row_of(&t->list[i]));
    add_stream(t->list[i].stream, in_english, out);
    str_add(out, "\"}}");
  }
}

static const char *category(enum ltrace_kind kind) {
  return kind >= LTRACE_STREAM_WAIT ? "wait"
         : kind == LTRACE_KERNEL    ? "kernel"
         : kind == LTRACE_GRAPH     ? "graph"
                                    : "copy";
}

// "X" lasts, "i" is a moment: of what nobody knows when it ran.
static void add_event(const struct ltrace_event *e, struct str *out) {
  struct str what = STR_INIT;
  add_what(e, in_english, &what);
  str_add(out, ",\n{\"name\":\"");
  add_json(what.data, out);
  str_addf(out, "\",\"cat\":\"%s\",\"ph\":\"%s\",\"ts\":%.3f,",
           category(e->kind), is_known(e) ? "X" : "i", begin_of(e));
  if (is_known(e))
    str_addf(out, "\"dur\":%.3f,", end_of(e) - begin_of(e));
  else
    str_add(out, "\"s\":\"t\",");
  str_addf(out,
           "\"pid\":1,\"tid\":%d,\"args\":{\"bytes\":%zu,\"queued\":%.3f}}",
           row_of(e), e->bytes, e->queued_us);
  str_free(&what);
}

void picture_trace(const struct ltrace *t, struct str *out) {
  str_add(out, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
  add_names(t, out);
  for (int i = 0; i < t->count; i++)
    add_event(&t->list[i], out);
  str_add(out, "\n]}\n");
}
