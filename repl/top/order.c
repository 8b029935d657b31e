// SPDX-License-Identifier: Apache-2.0
// What is shown, and in which order: pure functions of a machine and a choice.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "repl/top/machine.h"

static const char *const names[] = {
#define SORT(name, text, help) text,
#include "repl/top/sort.def"
#undef SORT
};

const char *sort_name(enum sort_key k) {
  return names[k];
}

bool sort_find(const char *name, enum sort_key *out) {
  for (int i = 0; i < SORTS; i++)
    if (!strcmp(names[i], name)) {
      *out = (enum sort_key)i;
      return true;
    }
  return false;
}

bool choice_has_gpu(const struct choice *c, int gpu) {
  return !c->gpus || c->gpus >> gpu & 1;
}

// ---- Order ----

struct ordered {
  const char *text;  // NULL: by `value`
  int64_t value;     // the largest first
  int first, second; // of equal ones, the lowest first
  int number;
};

static int compare(const void *a, const void *b) {
  const struct ordered *l = a, *r = b;
  int by_text = l->text ? strcmp(l->text, r->text) : 0;
  if (by_text)
    return by_text;
  if (l->value != r->value)
    return l->value < r->value ? 1 : -1;
  if (l->first != r->first)
    return l->first < r->first ? -1 : 1;
  return (l->second > r->second) - (l->second < r->second);
}

static void put_in_order(struct ordered *list, int count, int *out) {
  qsort(list, (size_t)count, sizeof *list, compare);
  for (int i = 0; i < count; i++)
    out[i] = list[i].number;
}

// What is not told comes last.
static int64_t known(struct nvml_value v) {
  return v.why ? -1 : v.is;
}

static int64_t gpu_value(const struct survey_gpu *g, enum sort_key k) {
  switch (k) {
  case SORT_USE: return known(g->is[NVML_GPU_USE]);
  case SORT_MEMORY: return known(g->is[NVML_MEMORY_USED]);
  case SORT_POWER: return known(g->is[NVML_POWER]);
  case SORT_TEMPERATURE: return known(g->is[NVML_TEMPERATURE]);
  default: return 0;
  }
}

int choice_gpus(const struct choice *c, const struct machine *m, int *out) {
  struct ordered list[SURVEY_GPUS];
  int count = 0;
  for (int i = 0; i < m->survey.gpu_count; i++)
    if (choice_has_gpu(c, i))
      list[count++] =
          (struct ordered){.value = gpu_value(&m->survey.gpus[i], c->sort),
                           .first = i,
                           .number = i};
  put_in_order(list, count, out);
  return count;
}

// ---- Processes ----

static bool has_filter(const struct choice *c, const struct process_look *p,
                       pid_t pid) {
  char number[16];
  snprintf(number, sizeof number, "%d", (int)pid);
  const char *filter = c->filter.text;
  return !*filter || strcasestr(p->user, filter) ||
         strcasestr(p->command, filter) || strstr(number, filter);
}

static struct ordered process_order(const struct machine_process *p,
                                    enum sort_key k) {
  struct ordered o = {.first = p->is.gpu, .second = p->is.pid};
  switch (k) {
  case SORT_GPU:
    o.first = 0;
    o.value = ((int64_t)(SURVEY_GPUS - p->is.gpu) << 48) + known(p->is.bytes);
    break;
  case SORT_USE: o.value = known(p->is.use); break;
  case SORT_PID: o.first = 0; break;
  case SORT_USER: o.text = p->look.user; break;
  case SORT_COMMAND: o.text = p->look.command; break;
  default: o.value = known(p->is.bytes); break;
  }
  return o;
}

int choice_processes(const struct choice *c, const struct machine *m,
                     int *out) {
  struct ordered list[SURVEY_USERS];
  int count = 0;
  for (int i = 0; i < m->process_count; i++) {
    const struct machine_process *p = &m->processes[i];
    if (!choice_has_gpu(c, p->is.gpu) || !has_filter(c, &p->look, p->is.pid))
      continue;
    list[count] = process_order(p, c->sort);
    list[count++].number = i;
  }
  put_in_order(list, count, out);
  return count;
}

int choice_servers(const struct choice *c, const struct machine *m, int *out) {
  int count = 0;
  for (int i = 0; i < m->server_count; i++)
    if (has_filter(c, &m->servers[i].look, m->servers[i].pid) ||
        strcasestr(m->servers[i].program, c->filter.text))
      out[count++] = i;
  return count;
}
