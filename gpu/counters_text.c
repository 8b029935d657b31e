// SPDX-License-Identifier: Apache-2.0
// Counters as a table, and beside the source.
#include "gpu/counters_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text/text.h"
#include "gpu/counters_notes.h"
#include "gpu/hardware_text.h"
#include "gpu/occupancy.h"

double gpu_count_value(const struct gpu_count_view *v, enum gpu_metric m) {
  if (gpu_metrics[m].source == GPU_FROM_SHAPE)
    return v->occupancy ? gpu_occupancy_value(v->occupancy, m) : NAN;
  return gpu_metric_value(m, v->counts->count);
}
#define VALUE(name) gpu_count_value(v, GPU_METRIC_##name)
#define COUNT(name) ((double)v->counts->count[GPU_COUNT_##name])

// A whole number as long as it fits, else with three digits and a letter.
static void format_count(double n, char *out, size_t size) {
  if (n < 1e8)
    snprintf(out, size, "%.0f", n);
  else if (n < 1e11)
    snprintf(out, size, "%.1f M", n / 1e6);
  else
    snprintf(out, size, "%.1f G", n / 1e9);
}

static void format_bytes(double n, char *out, size_t size) {
  if (n < 10240)
    snprintf(out, size, "%.0f B", n);
  else if (n < 10485760)
    snprintf(out, size, "%.1f KB", n / 1024);
  else
    snprintf(out, size, "%.1f MB", n / 1048576);
}

static void add_size(const uint32_t d[3], struct str *out) {
  str_addf(out, "%u", d[0]);
  if (d[1] > 1 || d[2] > 1)
    str_addf(out, " x %u", d[1]);
  if (d[2] > 1)
    str_addf(out, " x %u", d[2]);
}

static bool is_one(const uint32_t d[3]) {
  return (uint64_t)d[0] * d[1] * d[2] == 1;
}

static void add_head(const struct gpu_count_view *v, struct str *out) {
  const struct gpu_counts *c = v->counts;
  str_addf(out, "%s  ", v->kernel);
  add_size(c->grid, out);
  str_add(out, is_one(c->grid) ? " block of " : " blocks of ");
  add_size(c->block, out);
  str_add(out, is_one(c->block) ? " thread" : " threads");
  if (c->count[GPU_COUNT_LAUNCHES] > 1)
    str_addf(out, ", %llu launches",
             (unsigned long long)c->count[GPU_COUNT_LAUNCHES]);
  if (VALUE(REGISTERS) >= 0)
    str_addf(out, " · %.0f registers", VALUE(REGISTERS));
  if (VALUE(OCCUPANCY) >= 0)
    str_addf(out, " · occupancy %.0f %%", VALUE(OCCUPANCY));
  str_add_char(out, '\n');
  if (v->device)
    str_addf(
        out,
        "  Counted on the virtual GPU, from the same inputs; registers and "
        "occupancy are\n  those of %s.\n",
        v->device);
  if (c->is_cut)
    str_add(out, "  It did not run to its end: these counts are of the part "
                 "that ran.\n");
}

// "  global loads        256 requests      4.0 sectors each       32.0 KB"
static void add_row(struct str *out, const char *name, double count,
                    const char *unit) {
  char number[32];
  format_count(count, number, sizeof number);
  str_addf(out, "  %-16s %11s %s", name, number, unit);
}

static void add_global(const char *name, double requests, double each,
                       double sectors, struct str *out) {
  char bytes[32];
  if (!requests)
    return;
  format_bytes(32 * sectors, bytes, sizeof bytes);
  add_row(out, name, requests, "requests");
  str_addf(out, "      %6.1f sectors each   %12s\n", each, bytes);
}

static void add_shared(const char *name, double requests, double more,
                       struct str *out) {
  if (!requests)
    return;
  add_row(out, name, requests, "requests");
  str_addf(out, "      %6.1f conflicts each\n", more / requests);
}

static void add_counts(const struct gpu_count_view *v, struct str *out) {
  add_row(out, "instructions", COUNT(INST), "of warps");
  str_addf(out, "      %6.1f threads each\n", VALUE(ACTIVE_LANES));
  if (COUNT(BRANCHES)) {
    add_row(out, "branches", COUNT(BRANCHES), "of warps");
    str_addf(out, "      %6.1f %% uniform\n", VALUE(BRANCH_EFFICIENCY));
  }
  add_global("global loads", COUNT(GLOBAL_LD), VALUE(LD_SECTORS_PER_REQUEST),
             COUNT(GLOBAL_LD_SECTORS), out);
  add_global("global stores", COUNT(GLOBAL_ST), VALUE(ST_SECTORS_PER_REQUEST),
             COUNT(GLOBAL_ST_SECTORS), out);
  add_global("async copies", COUNT(ASYNC_COPIES),
             COUNT(ASYNC_SECTORS) / COUNT(ASYNC_COPIES), COUNT(ASYNC_SECTORS),
             out);
  add_shared("shared loads", COUNT(SHARED_LD), COUNT(SHARED_LD_CONFLICTS), out);
  add_shared("shared stores", COUNT(SHARED_ST), COUNT(SHARED_ST_CONFLICTS),
             out);
  if (VALUE(ATOMICS) > 0) {
    add_row(out, "atomics", VALUE(ATOMICS), "requests");
    str_addf(out, "      %6.1f threads on one address\n",
             VALUE(ATOMIC_CONTENTION));
  }
  if (COUNT(LOCAL_LD) + COUNT(LOCAL_ST) > 0) {
    add_row(out, "local memory", COUNT(LOCAL_LD) + COUNT(LOCAL_ST),
            "requests\n");
  }
  if (COUNT(BARRIERS)) {
    add_row(out, "barriers", COUNT(BARRIERS), "of warps\n");
  }
  if (VALUE(FLOPS) > 0) {
    add_row(out, "float operations", VALUE(FLOPS), "");
    if (VALUE(INTENSITY) > 0)
      str_addf(out, "              %6.2f for each byte", VALUE(INTENSITY));
    if (VALUE(FLOPS_F64) > 0)
      str_addf(out, "   %.0f on doubles", VALUE(FLOPS_F64));
    str_add_char(out, '\n');
  }
}

// "- " and the words of `text`, broken before `columns`.
static void add_wrapped(const char *text, int columns, struct str *out) {
  int column = 1;
  str_add_char(out, '-');
  while (*text) {
    size_t n = strcspn(text, " ");
    if (column > 2 && column + 1 + (int)n > columns) {
      str_add(out, "\n ");
      column = 1;
    }
    str_add_char(out, ' ');
    str_add_bytes(out, text, n);
    column += 1 + (int)n;
    text += n + strspn(text + n, " ");
  }
  str_add_char(out, '\n');
}

static void add_notes(const struct gpu_count_view *v, int columns,
                      struct str *out) {
  struct gpu_count_note notes[GPU_MAX_COUNT_NOTES];
  int count = gpu_count_notes(v, notes);
  for (int n = 0; n < count; n++) {
    struct str text = STR_INIT;
    if (notes[n].line)
      str_addf(&text, message("line %d: "), notes[n].line);
    message_report(notes[n].text, &text);
    add_wrapped(text.data, columns, out);
    str_free(&text);
  }
}

// How a real GPU counted, or why its own counters are not beside these.
static void add_hardware_note(const struct gpu_count_view *v, int columns,
                              struct str *out) {
  struct str english = STR_INIT, text = STR_INIT;
  const struct gpu_hardware *h = v->hardware;
  if (h && h->is_cold)
    str_addf(
        &english,
        "To count this, a copy of it ran %u times on %s with empty caches.",
        h->passes, v->device);
  else if (h)
    str_addf(&english,
             "To count this, a copy of it ran %u times on %s with whatever lay "
             "in its caches; a CUPTI of 13.4 or newer empties them first.",
             h->passes, v->device);
  else
    str_addf(&english, "The counters of %s itself are not read: %s.", v->device,
             v->no_hardware);
  message_report(english.data, &text);
  add_wrapped(text.data, columns, out);
  str_free(&text);
  str_free(&english);
}

void gpu_count_table(const struct gpu_count_view *v, int columns,
                     struct str *out) {
  add_head(v, out);
  add_counts(v, out);
  if (v->hardware)
    gpu_hardware_table(v, columns, out);
  add_notes(v, columns, out);
  if (v->device && (v->hardware || v->no_hardware))
    add_hardware_note(v, columns, out);
}

// ---- The source ----

enum { LONG_SOURCE = 40, NEIGHBOURS = 1, LEAST_TEXT = 20 };

// A column of numbers, shown when some line has one that is not 0.
struct column {
  const char *title;
  int width;
  enum gpu_metric metric;
  const char *format;
};

static const struct column columns_of[] = {
    {MESSAGE("instr"), 9, (enum gpu_metric)GPU_COUNT_INST, "%*.0f"},
    {MESSAGE("threads"), 8, GPU_METRIC_ACTIVE_LANES, "%*.1f"},
    {MESSAGE("sectors"), 8, GPU_METRIC_SECTORS_PER_REQUEST, "%*.1f"},
    {MESSAGE("conflicts"), 10, GPU_METRIC_CONFLICTS_PER_REQUEST, "%*.1f"},
    {MESSAGE("divergent"), 10, (enum gpu_metric)GPU_COUNT_DIVERGENT, "%*.0f"},
    {MESSAGE("atomics"), 8, GPU_METRIC_ATOMICS, "%*.0f"},
    {MESSAGE("doubles"), 9, (enum gpu_metric)GPU_COUNT_FP64, "%*.0f"},
};
enum { COLUMNS = sizeof columns_of / sizeof *columns_of };

static bool is_own(const struct gpu_count_view *v,
                   const struct gpu_line_counts *r) {
  return r->line > 0 && !strcmp(r->file, v->file ? v->file : r->file);
}

static const struct gpu_line_counts *find_line(const struct gpu_count_view *v,
                                               int line) {
  for (uint32_t n = 0; n < v->counts->line_count; n++)
    if (v->lines[n].line == line && is_own(v, &v->lines[n]))
      return &v->lines[n];
  return NULL;
}

static bool is_shown(const struct gpu_count_view *v, const struct column *c) {
  for (uint32_t n = 0; n < v->counts->line_count; n++)
    if (is_own(v, &v->lines[n]) &&
        gpu_metric_value(c->metric, v->lines[n].count) > 0)
      return true;
  return false;
}

static int count_lines(const char *source) {
  int n = *source != 0;
  for (; *source; source++)
    n += *source == '\n' && source[1];
  return n;
}

// The lines from the first to the last that ran: other kernels of the source
// are left out.
static void find_range(const struct gpu_count_view *v, int *first, int *last) {
  int count = v->source ? count_lines(v->source) : 0;
  *first = count + 1;
  *last = 0;
  for (uint32_t n = 0; n < v->counts->line_count; n++) {
    int line = v->lines[n].line;
    if (!is_own(v, &v->lines[n]) || line > count)
      continue;
    *first = line < *first ? line : *first;
    *last = line > *last ? line : *last;
  }
}

static bool is_near(const struct gpu_count_view *v, int line) {
  for (int n = line - NEIGHBOURS; n <= line + NEIGHBOURS; n++)
    if (find_line(v, n))
      return true;
  return false;
}

static void add_numbers(const struct gpu_line_counts *r, const bool *shown,
                        struct str *out) {
  for (int c = 0; c < COLUMNS; c++) {
    if (!shown[c])
      continue;
    double n = r ? gpu_metric_value(columns_of[c].metric, r->count) : NAN;
    if (n > 0 || (n == 0 && columns_of[c].metric > GPU_METRIC_LAST_COUNTER &&
                  columns_of[c].metric != GPU_METRIC_ATOMICS))
      str_addf(out, columns_of[c].format, columns_of[c].width, n);
    else
      str_addf(out, "%*s", columns_of[c].width, "");
  }
}

// At most `room` columns of a text in UTF-8, tabs as two spaces.
static void add_text(const char *text, size_t bytes, int room,
                     struct str *out) {
  while (bytes > 0 && room > 0) {
    struct width_char c = width_next(text, bytes);
    int columns = *text == '\t' ? 2 : c.columns < 0 ? 1 : c.columns;
    if (columns > room)
      break;
    if (*text == '\t')
      str_add(out, "  ");
    else if ((unsigned char)*text >= 32)
      str_add_bytes(out, text, c.bytes);
    room -= columns;
    text += c.bytes;
    bytes -= c.bytes;
  }
}

static void add_title(const bool *shown, struct str *out) {
  str_addf(out, "%5s", message("line"));
  for (int c = 0; c < COLUMNS; c++)
    if (shown[c])
      str_addf(out, "%*s", columns_of[c].width, message(columns_of[c].title));
  str_add_char(out, '\n');
}

void gpu_count_source(const struct gpu_count_view *v, int columns,
                      struct str *out) {
  bool shown[COLUMNS];
  int width = 5;
  for (int c = 0; c < COLUMNS; c++) {
    shown[c] = is_shown(v, &columns_of[c]);
    // What the launch has little to say about yields to the source.
    if (shown[c] && width + columns_of[c].width + LEAST_TEXT > columns)
      shown[c] = false;
    width += shown[c] ? columns_of[c].width : 0;
  }
  int first, last;
  find_range(v, &first, &last);
  bool was_left_out = false;
  add_title(shown, out);
  for (int line = first; line <= last; line++) {
    size_t bytes = 0;
    const char *text = gpu_source_line(v->source, line, &bytes);
    if (last - first >= LONG_SOURCE && !is_near(v, line)) {
      was_left_out = true;
      continue;
    }
    if (was_left_out)
      str_add(out, "  ...\n");
    was_left_out = false;
    str_addf(out, "%5d", line);
    add_numbers(find_line(v, line), shown, out);
    str_add(out, "  ");
    add_text(text, bytes, columns - width - 3, out); // the last stays free
    str_trim_end(out);
    str_add_char(out, '\n');
  }
}
