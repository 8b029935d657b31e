// SPDX-License-Identifier: Apache-2.0
#include "lua/bind/cuda/l_cuda_far.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/nvml/nvml.h"
#include "lua/bind/state/bind.h"

bool lfar_is_name(const struct lcuda *c, const char *name) {
  return c->options.far && c->options.far->is_name(name);
}

// ---- Opening ----

static bool is_taken(const struct lcuda *c, const char *id) {
  for (const struct ldevice *d = c->devices; d; d = d->next)
    if (!strcmp(d->id, id))
      return true;
  return false;
}

enum err lfar_open(struct lcuda *c, const char *name, struct lfar **out,
                   struct remote_options *options, char id[16],
                   struct err_info *e) {
  struct lfar *f = xcalloc(1, sizeof *f);
  enum err err = c->options.far->open(name, &f->there, e);
  *out = NULL;
  if (err) {
    free(f);
    return err;
  }
  f->name = xstrdup(name);
  bool is_cuda = str_starts(f->there.device, "cuda");
  int n = is_cuda ? nvml_count_visible() : gpu_virtual_count();
  do
    snprintf(id, 16, is_cuda ? "cuda:%d" : "virtual:%d", n++);
  while (is_taken(c, id));
  options->device = f->there.device;
  options->name = f->name;
  options->command = f->there.command;
  options->limit_s = f->there.limit_s;
  options->say_wait = c->options.far->say_wait;
  options->wait_context = f->there.context;
  *out = f;
  return ERR_OK;
}

void lfar_free(struct lcuda *c, struct lfar *f) {
  if (!f)
    return;
  c->options.far->close(f->there.context);
  free(f->name);
  free(f);
}

// ---- Where it is ----

void lfar_note_info(struct ldevice *d) {
  struct remote_place place;
  struct gpu_device_info *info = &d->info;
  if (!d->far)
    return;
  snprintf(info->id, sizeof info->id, "%s", d->id);
  size_t used = strlen(info->name);
  if (remote_where(d->gpu, &place))
    snprintf(info->name + used, sizeof info->name - used, " on %s", place.node);
}

bool bind_device_place(lua_State *L, char *text, size_t bytes) {
  const struct ldevice *d = lcuda_of(L)->current;
  struct remote_place place;
  if (!d || !d->far || !remote_where(d->gpu, &place))
    return false;
  int64_t minutes = place.left_s / 60;
  if (place.left_s < 0)
    snprintf(text, bytes, "%s", place.node);
  else if (place.left_s < 120)
    snprintf(text, bytes, "%s, %" PRId64 " s left", place.node, place.left_s);
  else
    snprintf(text, bytes, "%s, %" PRId64 " min left", place.node, minutes);
  return true;
}

// ---- Its end ----

bool lfar_is_lost(const struct ldevice *d) {
  return d->far && remote_has_lost_line(d->gpu);
}

void lfar_leave(struct ldevice *d, struct str *out) {
  struct lcuda *c = d->owner;
  d->launches = d->launches_settled = 0;
  d->is_polled = d->has_info = false;
  if (c->current == d) {
    c->current = NULL;
    snprintf(c->wanted, sizeof c->wanted, "virtual:0");
  }
  if (d->far->is_left)
    return;
  d->far->is_left = true;
  str_addf(out,
           "virtual:0 is used from here on; cuda.select(\"%s\") asks for "
           "another node.",
           d->far->name);
}
