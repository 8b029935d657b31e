// SPDX-License-Identifier: Apache-2.0
// A machine as JSON: the fields of docs/top.md. What is not told is null, and
// "not_told" says why.
#include <stdlib.h>

#include "base/mem.h"
#include "repl/top/text.h"

static bool is_switch(int metric) {
  return metric == NVML_ECC || metric == NVML_MIG;
}

static json_t *value(struct nvml_value v) {
  return v.why ? json_null() : json_integer(v.is);
}

static json_t *slices_json(const struct survey *s, int gpu) {
  json_t *list = json_array();
  for (int i = 0; i < s->slice_count; i++) {
    const struct survey_slice *l = &s->slices[i];
    if (l->gpu == gpu)
      json_array_append_new(
          list,
          json_pack("{s:i,s:i,s:s,s:s,s:o,s:o}", "gpu_instance",
                    l->gpu_instance, "compute_instance", l->compute_instance,
                    "name", l->name, "uuid", l->uuid, "memory_used_bytes",
                    value(l->used), "memory_total_bytes", value(l->total)));
  }
  return list;
}

static json_t *gpu_json(const struct survey *s, int gpu) {
  const struct survey_gpu *g = &s->gpus[gpu];
  json_t *o = json_pack("{s:i,s:s,s:s,s:s}", "index", gpu, "name", g->name,
                        "uuid", g->uuid, "bus", g->bus);
  json_t *why = json_object();
  for (int i = 0; i < NVML_METRICS; i++) {
    const char *field = nvml_metric_field((enum nvml_metric)i);
    struct nvml_value v = g->is[i];
    json_object_set_new(o, field,
                        is_switch(i) && !v.why ? json_boolean(v.is) : value(v));
    if (v.why)
      json_object_set_new(why, field, json_string(nvml_why_text(v.why)));
  }
  char *throttle = nvml_throttle_text(g->is[NVML_THROTTLE].is);
  json_object_set_new(o, "throttle",
                      g->is[NVML_THROTTLE].why ? json_null()
                                               : json_string(throttle));
  free(throttle);
  if (g->users_why)
    json_object_set_new(why, "processes",
                        json_string(nvml_why_text(g->users_why)));
  json_object_set_new(o, "slices", slices_json(s, gpu));
  json_object_set_new(o, "not_told", why);
  return o;
}

static json_t *process_json(const struct machine_process *p) {
  json_t *user = p->is_seen ? json_string(p->look.user) : json_null();
  json_t *command = p->is_seen ? json_string(p->look.command) : json_null();
  return json_pack(
      "{s:i,s:o,s:i,s:o,s:o,s:b,s:b,s:o,s:o}", "gpu", p->is.gpu, "gpu_instance",
      p->is.slice < 0 ? json_null() : json_integer(p->is.slice), "pid",
      p->is.pid, "user", user, "command", command, "computes", p->is.computes,
      "draws", p->is.draws, "gpu_use_percent", value(p->is.use),
      "memory_used_bytes", value(p->is.bytes));
}

static json_t *server_json(const struct machine_server *s) {
  return json_pack("{s:s,s:i,s:s,s:s,s:I,s:o,s:I}", "device", s->device, "pid",
                   (int)s->pid, "user", s->look.user, "program", s->program,
                   "launches", (json_int_t)s->launches, "cpu_percent",
                   value(s->cpu), "memory_bytes", (json_int_t)s->look.bytes);
}

json_t *machine_json(const struct machine *m, const struct choice *c) {
  const struct survey *s = &m->survey;
  json_t *gpus = json_array(), *processes = json_array();
  json_t *servers = json_array();
  int most = m->server_count > SURVEY_USERS ? m->server_count : SURVEY_USERS;
  int *rows = xcalloc((size_t)most, sizeof *rows);
  int count = choice_gpus(c, m, rows);
  for (int i = 0; i < count; i++)
    json_array_append_new(gpus, gpu_json(s, rows[i]));
  count = choice_processes(c, m, rows);
  for (int i = 0; i < count; i++)
    json_array_append_new(processes, process_json(&m->processes[rows[i]]));
  count = choice_servers(c, m, rows);
  for (int i = 0; i < count; i++)
    json_array_append_new(servers, server_json(&m->servers[rows[i]]));
  free(rows);
  return json_pack(
      "{s:s,s:o,s:o,s:b,s:o,s:o,s:o}", "schema", "warpshop.top/1", "driver",
      s->driver[0] ? json_string(s->driver) : json_null(), "nvml",
      s->err ? json_string(s->text) : json_null(), "is_cut", s->is_cut, "gpus",
      gpus, "processes", processes, "servers", servers);
}
