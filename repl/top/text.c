// SPDX-License-Identifier: Apache-2.0
// A machine as lines of text. What is not told is "N/A" and why, never a zero.
#include "repl/top/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"
#include "repl/tui/tui.h"

// ---- Values ----

enum unit { PERCENT, GIB, MHZ, WATTS, CELSIUS, RATE, COUNT };

static void add_number(double v, enum unit unit, struct str *out) {
  char text[STR_BYTES];
  switch (unit) {
  case GIB: str_addf(out, "%.1f", v / (1 << 30)); break;
  case WATTS: str_addf(out, "%.0f", v / 1000); break;
  case RATE: str_addf(out, "%s/s", str_bytes(text, v)); break;
  default: str_addf(out, "%.0f", v); break;
  }
}

static const char *const unit_names[] = {
    [PERCENT] = " %",  [GIB] = " GiB", [MHZ] = " MHz", [WATTS] = " W",
    [CELSIUS] = " °C", [RATE] = "",    [COUNT] = "",
};

// ---- A GPU's lines ----

// "clocks  SM 1755 of 1980 MHz": the parts of one line follow each other.
static const struct part {
  const char *line, *label;
  const char *alone; // its label where it stands for itself
  int now, most;     // metrics; -1: there is no most
  enum unit unit;
} parts[] = {
    {"use", "GPU", "use", NVML_GPU_USE, -1, PERCENT},
    {"use", "memory controller", "memory controller", NVML_CONTROLLER_USE, -1,
     PERCENT},
    {"memory", "", "memory", NVML_MEMORY_USED, NVML_MEMORY_TOTAL, GIB},
    {"clocks", "SM", "SM", NVML_SM_CLOCK, NVML_SM_CLOCK_MOST, MHZ},
    {"clocks", "memory", "memory clock", NVML_MEMORY_CLOCK,
     NVML_MEMORY_CLOCK_MOST, MHZ},
    {"power", "", "power", NVML_POWER, NVML_POWER_LIMIT, WATTS},
    {"heat", "", "heat", NVML_TEMPERATURE, -1, CELSIUS},
    {"heat", "fan", "fan", NVML_FAN, -1, PERCENT},
    {"PCIe", "in", "PCIe in", NVML_PCIE_IN, -1, RATE},
    {"PCIe", "out", "PCIe out", NVML_PCIE_OUT, -1, RATE},
    {"NVLink", "in", "NVLink in", NVML_NVLINK_IN, -1, RATE},
    {"NVLink", "out", "NVLink out", NVML_NVLINK_OUT, -1, RATE},
    {"ECC errors", "corrected", "ECC corrected", NVML_ECC_CORRECTED, -1, COUNT},
    {"ECC errors", "uncorrected", "ECC uncorrected", NVML_ECC_UNCORRECTED, -1,
     COUNT},
};
enum { PARTS = sizeof parts / sizeof *parts };

static bool is_of(int i, int first) {
  return i < PARTS && !strcmp(parts[i].line, parts[first].line);
}

// One reason for all of a line is said once.
static int why_of_line(const struct survey_gpu *g, int first) {
  int why = g->is[parts[first].now].why;
  for (int i = first; is_of(i, first); i++)
    if (g->is[parts[i].now].why != why)
      return 0;
  return why;
}

static void add_part(const struct survey_gpu *g, const struct part *p,
                     const char *label, struct str *out) {
  struct nvml_value now = g->is[p->now];
  str_addf(out, "%s%s", label, *label ? " " : "");
  if (now.why) {
    str_addf(out, "N/A (%s)", nvml_why_text(now.why));
    return;
  }
  add_number((double)now.is, p->unit, out);
  if (p->most >= 0) {
    str_add(out, " of ");
    if (g->is[p->most].why)
      str_add(out, "N/A");
    else
      add_number((double)g->is[p->most].is, p->unit, out);
  }
  str_add(out, unit_names[p->unit]);
}

bool text_add_value(const struct survey_gpu *g, int i, struct str *out) {
  // Numbers of `parts`; -1: what holds the clocks back, where something does.
  static const int order[] = {0, 2, 5, 6, -1, 3, 8, 9, 10, 11, 1, 4, 7, 12, 13};
  _Static_assert(sizeof order / sizeof *order == PARTS + 1, "each part once");
  if (i > PARTS)
    return false;
  if (order[i] < 0) {
    char *text = nvml_throttle_text(g->is[NVML_THROTTLE].is);
    if (*text && !g->is[NVML_THROTTLE].why)
      str_addf(out, "held back by %s", text);
    free(text);
    return true;
  }
  const struct part *p = &parts[order[i]];
  add_part(g, p, p->alone, out);
  return true;
}

enum { LABEL = 15 };

static void add_label(const char *label, struct str *out) {
  str_addf(out, "  %-*s", LABEL - 2, label);
}

// Adds one line of parts; returns the first of the next.
static int add_line(const struct survey_gpu *g, int first, struct str *out) {
  int why = why_of_line(g, first), i = first;
  add_label(parts[first].line, out);
  for (; is_of(i, first); i++) {
    if (why)
      continue;
    if (i > first)
      str_add(out, "   ");
    add_part(g, &parts[i], parts[i].label, out);
  }
  if (why)
    str_addf(out, "N/A (%s)", nvml_why_text(why));
  str_add_char(out, '\n');
  return i;
}

static void add_switch(const char *label, struct nvml_value v,
                       struct str *out) {
  add_label(label, out);
  if (v.why)
    str_addf(out, "N/A (%s)\n", nvml_why_text(v.why));
  else
    str_add(out, v.is ? "on\n" : "off\n");
}

static void add_throttle(struct nvml_value v, struct str *out) {
  add_label("held back by", out);
  if (v.why) {
    str_addf(out, "N/A (%s)\n", nvml_why_text(v.why));
    return;
  }
  char *text = nvml_throttle_text(v.is);
  str_addf(out, "%s\n", *text ? text : "nothing");
  free(text);
}

// "NVIDIA H200 MIG 1g.18gb": what stands behind "MIG".
static const char *profile_of(const char *name) {
  const char *slice = strstr(name, " MIG ");
  return slice ? slice + strlen(" MIG ") : name;
}

void text_add_slice(const struct survey_slice *s, struct str *out) {
  char label[24];
  snprintf(label, sizeof label, "slice %d", (int)s->gpu_instance);
  add_label(label, out);
  str_addf(out, "%s   ", profile_of(s->name));
  if (s->used.why)
    str_addf(out, "memory N/A (%s)", nvml_why_text(s->used.why));
  else
    str_addf(out, "memory %.1f of %.1f GiB", (double)s->used.is / (1 << 30),
             (double)s->total.is / (1 << 30));
  str_addf(out, "   %s\n", s->uuid);
}

void text_add_gpu_name(const struct machine *m, int gpu, struct str *out) {
  const struct survey_gpu *g = &m->survey.gpus[gpu];
  str_addf(out, "GPU %d  %s  %.12s  %s", gpu, g->name[0] ? g->name : "name N/A",
           g->uuid, g->bus);
  str_trim_end(out);
}

bool text_is_lost(const struct survey_gpu *g) {
  for (int i = 1; i < NVML_METRICS; i++)
    if (!g->is[i].why || g->is[i].why != g->is[0].why)
      return false;
  return true;
}

void text_add_gpu(const struct machine *m, int gpu, int columns,
                  struct str *out) {
  const struct survey *s = &m->survey;
  const struct survey_gpu *g = &s->gpus[gpu];
  struct screen screen = {.is_terminal = columns > 0, .columns = columns};
  struct str lines = STR_INIT;
  if (text_is_lost(g)) {
    str_addf(&lines, "  N/A: NVML says of all of it: %s\n",
             nvml_why_text(g->is[0].why));
  } else {
    for (int i = 0; i < PARTS;)
      i = add_line(g, i, &lines);
    add_throttle(g->is[NVML_THROTTLE], &lines);
    add_switch("ECC", g->is[NVML_ECC], &lines);
    add_switch("MIG", g->is[NVML_MIG], &lines);
  }
  for (int i = 0; i < s->slice_count; i++)
    if (s->slices[i].gpu == gpu)
      text_add_slice(&s->slices[i], &lines);
  screen_fit(&screen, lines.data, out);
  str_free(&lines);
}

// ---- Processes ----

// The list's columns have their full width, or, where the names of programs would have
// no room beside it, less: what is least missed is left out then, as the KIND.
enum { FULL_COLUMNS = 76 };

static bool is_narrow(int columns) {
  return columns > 0 && columns < FULL_COLUMNS;
}

void text_add_process_head(int columns, struct str *out) {
  if (is_narrow(columns))
    str_addf(out, "%-4s %-7s %-8s %5s %9s  %s", "GPU", "PID", "USER", "USE %",
             "MEMORY", "COMMAND");
  else
    str_addf(out, "%-4s %-8s %-10s %-8s %5s %11s  %s", "GPU", "PID", "USER",
             "KIND", "USE %", "MEMORY", "COMMAND");
}

// "60518.4 MiB", or "59.1 GiB" where there is less room.
static void spell_memory(int64_t bytes, int columns, char out[STR_BYTES]) {
  double mib = (double)bytes / (1 << 20);
  if (is_narrow(columns) && mib >= 1024)
    snprintf(out, STR_BYTES, "%.1f GiB", mib / 1024);
  else
    snprintf(out, STR_BYTES, "%.1f MiB", mib);
}

// A command without its program's folder.
static const char *without_folder(const char *command) {
  const char *from = command;
  for (size_t i = 0, n = strcspn(command, " "); i < n; i++)
    if (command[i] == '/' && command[i + 1] && command[i + 1] != ' ')
      from = command + i + 1;
  return from;
}

static void add_cell(const char *text, int width, struct str *out) {
  int gap = width - screen_width_of(text, strlen(text));
  str_addf(out, "%s%*s", text, gap > 0 ? gap : 0, "");
}

static const char *kind_of(const struct machine_process *p) {
  return p->is.computes && p->is.draws ? "both"
         : p->is.draws                 ? "graphics"
                                       : "compute";
}

void text_add_process(const struct machine_process *p, int columns,
                      struct str *out) {
  char gpu[24], use[16] = "N/A", memory[STR_BYTES] = "N/A";
  const char *user = p->is_seen ? p->look.user : "N/A",
             *command = p->is_seen ? p->look.command
                                   : "N/A (ended, or of another container)";
  if (p->is.slice >= 0)
    snprintf(gpu, sizeof gpu, "%d.%d", (int)p->is.gpu, (int)p->is.slice);
  else
    snprintf(gpu, sizeof gpu, "%d", (int)p->is.gpu);
  if (!p->is.use.why)
    snprintf(use, sizeof use, "%d", (int)p->is.use.is);
  if (!p->is.bytes.why)
    spell_memory(p->is.bytes.is, columns, memory);
  bool is_short = is_narrow(columns);
  str_addf(out, is_short ? "%-4s %-7d " : "%-4s %-8d ", gpu, (int)p->is.pid);
  if (is_short) {
    width_pad(out, user, 8);
  } else {
    add_cell(user, 10, out);
    str_addf(out, " %-8s", kind_of(p));
  }
  str_addf(out, " %5s %*s  %s", use, is_short ? 9 : 11, memory,
           is_short && p->is_seen ? without_folder(command) : command);
}

// They are all of one user, whose name goes first.
void text_add_server_head(int columns, struct str *out) {
  if (is_narrow(columns))
    str_addf(out, "%-10s %-7s %8s %5s %9s  %s", "DEVICE", "PID", "LAUNCHES",
             "CPU %", "MEMORY", "PROGRAM");
  else
    str_addf(out, "%-11s %-8s %-10s %10s %5s %11s  %s", "DEVICE", "PID", "USER",
             "LAUNCHES", "CPU %", "MEMORY", "PROGRAM");
}

void text_add_server(const struct machine_server *s, int columns,
                     struct str *out) {
  char cpu[16] = "N/A", memory[STR_BYTES];
  unsigned long long launches = s->launches;
  bool is_short = is_narrow(columns);
  if (!s->cpu.why)
    snprintf(cpu, sizeof cpu, "%d", (int)s->cpu.is);
  spell_memory((int64_t)s->look.bytes, columns, memory);
  str_addf(out, is_short ? "%-10s %-7d " : "%-11s %-8d ", s->device,
           (int)s->pid);
  if (!is_short) {
    add_cell(s->look.user, 10, out);
    str_add(out, " ");
  }
  str_addf(out, "%*llu %5s %*s  %s", is_short ? 8 : 10, launches, cpu,
           is_short ? 9 : 11, memory,
           is_short ? without_folder(s->program) : s->program);
}

// ---- All of it ----

void text_add_title(const struct machine *m, struct str *out) {
  const struct survey *s = &m->survey;
  str_add(out, "warpshop top");
  if (s->err) {
    str_add(out, message(" · no GPU of NVIDIA's can be seen"));
    return;
  }
  str_addf(out,
           message_of((int)s->gpu_count, " · driver %s · %d GPU",
                      " · driver %s · %d GPUs"),
           s->driver[0] ? s->driver : "N/A", (int)s->gpu_count);
  if (s->is_cut)
    str_add(out, message(" (there is more than is shown)"));
}

// The lines, cut where the terminal ends.
static void add_cut(const char *text, int columns, struct str *out) {
  const char *p = text;
  for (int at = 0; *p && (!columns || at < columns);) {
    struct width_char c = width_next(p, strlen(p));
    size_t n = c.bytes;
    at += c.columns < 0 ? 1 : c.columns;
    if (columns && at > columns)
      break;
    str_add_bytes(out, p, n);
    p += n;
  }
  str_add_char(out, '\n');
}

static void add_processes(const struct machine *m, const struct choice *c,
                          int columns, struct str *out) {
  int rows[SURVEY_USERS];
  int count = choice_processes(c, m, rows);
  struct str line = STR_INIT;
  text_add_process_head(columns, &line);
  str_add_char(out, '\n');
  add_cut(line.data, columns, out);
  for (int i = 0; i < count; i++) {
    str_clear(&line);
    text_add_process(&m->processes[rows[i]], columns, &line);
    add_cut(line.data, columns, out);
  }
  for (int i = 0; i < m->survey.gpu_count; i++)
    if (m->survey.gpus[i].users_why && choice_has_gpu(c, i)) {
      str_clear(&line);
      str_addf(&line, "%-4d N/A (%s)", i,
               nvml_why_text(m->survey.gpus[i].users_why));
      add_cut(line.data, columns, out);
    }
  if (!count)
    str_add(out, message(c->filter.text[0]
                             ? MESSAGE("  none that the filter lets through\n")
                             : MESSAGE("  none\n")));
  str_free(&line);
}

// The virtual GPU is always there; programs of other users cannot be told.
static void add_servers(const struct machine *m, const struct choice *c,
                        int columns, struct str *out) {
  int *rows = calloc((size_t)m->server_count + 1, sizeof *rows);
  int count = rows ? choice_servers(c, m, rows) : 0;
  struct str line = STR_INIT;
  text_add_server_head(columns, &line);
  str_add_char(out, '\n');
  add_cut(line.data, columns, out);
  for (int i = 0; i < count; i++) {
    str_clear(&line);
    text_add_server(&m->servers[rows[i]], columns, &line);
    add_cut(line.data, columns, out);
  }
  if (!count && m->server_count)
    str_add(out, message("  none that the filter lets through\n"));
  else if (!count)
    add_cut(message("virtual:0   the virtual GPU, on this processor: no "
                    "program of yours uses it"),
            columns, out);
  str_free(&line);
  free(rows);
}

void text_add(const struct machine *m, const struct choice *c, int columns,
              struct str *out) {
  int gpus[SURVEY_GPUS];
  int count = choice_gpus(c, m, gpus);
  struct str line = STR_INIT;
  text_add_title(m, &line);
  add_cut(line.data, columns, out);
  if (m->survey.err) {
    struct screen screen = {.is_terminal = columns > 0, .columns = columns};
    str_clear(&line);
    str_addf(&line,
             message("  %s\n  Without one, kernels run on the virtual GPU, "
                     "which needs no driver.\n"),
             m->survey.text);
    screen_fit(&screen, line.data, out);
  }
  for (int i = 0; i < count; i++) {
    str_clear(&line);
    text_add_gpu_name(m, gpus[i], &line);
    str_add_char(out, '\n');
    add_cut(line.data, columns, out);
    text_add_gpu(m, gpus[i], columns, out);
  }
  if (m->survey.gpu_count)
    add_processes(m, c, columns, out);
  add_servers(m, c, columns, out);
  str_free(&line);
}
