// SPDX-License-Identifier: Apache-2.0
#include "class/queue.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "gpu/turnstile/turnstile.h"

static const char *const states[] = {"idle", "waits", "holds"};
static const char *const lanes[] = {"practice", "ranked"};

struct collecting {
  const struct view *view;
  const struct view_options *q;
  json_t *gpus;
};

static void take_gpu(void *context, const char *gpu, pid_t sick) {
  struct collecting *c = context;
  json_array_append_new(c->gpus,
                        json_pack("{s:s,s:o,s:b,s:[]}", "gpu", gpu, "sick",
                                  sick ? json_integer(sick) : json_null(),
                                  "mps", turnstile_has_mps(), "tickets"));
}

static double since_s(uint64_t from_ns) {
  uint64_t now = clock_ns();
  return now > from_ns ? (double)(now - from_ns) / 1e9 : 0;
}

static void take_ticket(void *context, const struct turnstile_ticket *t) {
  struct collecting *c = context;
  json_t *gpu = json_array_get(c->gpus, json_array_size(c->gpus) - 1);
  char *name = view_name(c->view, t->uid, c->q->hides_names);
  bool waits = t->state == TURN_WAITING;
  json_array_append_new(
      json_object_get(gpu, "tickets"),
      json_pack("{s:s,s:s,s:s,s:o,s:o,s:f,s:f,s:I}", "learner", name, "lane",
                lanes[t->lane], "state", states[t->state], "place",
                waits ? json_integer(t->place) : json_null(), "wait_s",
                waits ? json_real(t->wait_s) : json_null(), "since_s",
                t->state ? since_s(t->since_ns) : 0.0, "used_s",
                (double)t->used_ns / 1e9, "memory_bytes",
                (json_int_t)t->memory_bytes));
  free(name);
}

json_t *queue_json(const struct view *v, const struct view_options *q) {
  const char *named = turnstile_folder();
  struct err_info e;
  struct collecting c = {v, q, json_array()};
  struct turnstile_viewer to = {take_gpu, take_ticket, &c};
  // No folder: nobody has shared a GPU here.
  turnstile_view(named ? named : turnstile_usual_folder(), &to, &e);
  return c.gpus;
}

// ---- For people ----

static void add_ticket(struct str *s, json_t *t) {
  double mib =
      (double)json_integer_value(json_object_get(t, "memory_bytes")) / 1048576;
  json_t *place = json_object_get(t, "place");
  str_addf(s, "    %-14.14s %-8s %-5s %6.1f s %8.0f MiB",
           json_string_value(json_object_get(t, "learner")),
           json_string_value(json_object_get(t, "lane")),
           json_string_value(json_object_get(t, "state")),
           json_real_value(json_object_get(t, "since_s")), mib);
  if (json_is_integer(place))
    str_addf(s, "  place %d, about %.0f s", (int)json_integer_value(place),
             json_real_value(json_object_get(t, "wait_s")));
  str_add(s, "\n");
}

static void add_gpu(struct str *s, json_t *gpu) {
  json_t *tickets = json_object_get(gpu, "tickets"), *t;
  json_t *sick = json_object_get(gpu, "sick");
  size_t i;
  str_addf(s, "\n  GPU %s: %zu programs\n",
           json_string_value(json_object_get(gpu, "gpu")),
           json_array_size(tickets));
  if (json_is_integer(sick))
    str_addf(s,
             "  ! it is sick: process %d hangs in its driver; others are used "
             "until this machine is restarted\n",
             (int)json_integer_value(sick));
  if (json_is_true(json_object_get(gpu, "mps")))
    str_add(s, "  ~ MPS is on, which is no isolation: one program's fault ends "
               "the work of all on that GPU\n");
  json_array_foreach(tickets, i, t) add_ticket(s, t);
}

char *queue_text(const struct view *v, const struct view_options *q) {
  struct str s = STR_INIT;
  json_t *gpus = queue_json(v, q), *gpu;
  size_t i;
  str_add(&s, "");
  json_array_foreach(gpus, i, gpu) add_gpu(&s, gpu);
  json_decref(gpus);
  return str_take(&s);
}
