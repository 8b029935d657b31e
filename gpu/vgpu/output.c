// SPDX-License-Identifier: Apache-2.0
// A bounded buffer of device printf's text.
#include "gpu/vgpu/output.h"

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
  if (o->cut_bytes || o->launch_bytes + bytes > VG_OUTPUT_BYTES) {
    o->cut_bytes += bytes;
  } else {
    str_add_bytes(&o->text, text, bytes);
    o->launch_bytes += bytes;
  }
  pthread_mutex_unlock(&o->lock);
}

void vg_output_end(struct vg_output *o) {
  pthread_mutex_lock(&o->lock);
  if (o->cut_bytes)
    str_addf(&o->text,
             "\n[device printf: a launch can print %d bytes; %zu more were "
             "left out]\n",
             VG_OUTPUT_BYTES, o->cut_bytes);
  o->launch_bytes = o->cut_bytes = 0;
  pthread_mutex_unlock(&o->lock);
}

struct str vg_output_take(struct vg_output *o) {
  pthread_mutex_lock(&o->lock);
  struct str s = o->text;
  str_init(&o->text);
  pthread_mutex_unlock(&o->lock);
  return s;
}
