// SPDX-License-Identifier: Apache-2.0
// A bounded buffer of device printf's text.
#include "gpu/vgpu/machine/machine.h"

#include <string.h>

void vg_output_init(struct vg_output *o) {
  memset(o, 0, sizeof *o);
  str_init(&o->text);
  pthread_mutex_init(&o->lock, NULL);
}

void vg_output_close(struct vg_output *o) {
  str_free(&o->text);
  pthread_mutex_destroy(&o->lock);
}

void vg_output_add(struct vg_output *o, const char *text, size_t bytes) {
  pthread_mutex_lock(&o->lock);
  // What is cut does not depend on how often the host fetches.
  if (o->is_full || o->launch_bytes + bytes > VG_OUTPUT_BYTES) {
    o->is_full = true;
    o->cut++;
  } else {
    str_add_bytes(&o->text, text, bytes);
    o->launch_bytes += bytes;
  }
  pthread_mutex_unlock(&o->lock);
}

bool vg_output_is_full(struct vg_output *o) {
  pthread_mutex_lock(&o->lock);
  bool is_full = o->is_full;
  o->cut += is_full;
  pthread_mutex_unlock(&o->lock);
  return is_full;
}

void vg_output_end(struct vg_output *o) {
  pthread_mutex_lock(&o->lock);
  if (o->cut)
    str_addf(&o->text,
             "\n[device printf: a launch can print %d bytes; %zu more "
             "prints were left out]\n",
             VG_OUTPUT_BYTES, o->cut);
  o->launch_bytes = o->cut = 0;
  o->is_full = false;
  pthread_mutex_unlock(&o->lock);
}

struct str vg_output_take(struct vg_output *o) {
  pthread_mutex_lock(&o->lock);
  struct str s = o->text;
  str_init(&o->text);
  pthread_mutex_unlock(&o->lock);
  return s;
}
