// SPDX-License-Identifier: Apache-2.0
// The end of what a running kernel may still use. For an array the driver would
// wait, and the server must not; of a module's code it does not say that it waits.
#include "gpu/cuda/cuda_destroy.h"

#include <stdint.h>

#include "base/mem.h"
#include "gpu/cuda/cuda_graph.h"

static int destroy_now(struct cuda_device *c, const struct cuda_freed *f) {
  uint64_t number = (uint64_t)(uintptr_t)f->driver;
  switch (f->kind) {
  case OBJECT_TEXTURE: return c->cu->texture_destroy(number);
  case OBJECT_SURFACE: return c->cu->surface_destroy(number);
  case OBJECT_GRAPH: return cuda_graph_free(c, f->driver);
  case OBJECT_MODULE: return c->cu->module_unload(f->driver);
  default: return c->cu->array_destroy(f->driver);
  }
}

enum err cuda_destroy(struct cuda_device *c, struct object *o,
                      struct err_info *e) {
  struct cuda_freed f = {o->kind, o->driver};
  cuda_drop_object(o);
  if (!c->is_busy)
    return cuda_device_fail(c, destroy_now(c, &f),
                            "freeing an array, a texture, a surface, a graph "
                            "or a module",
                            e);
  if (c->freed_count == c->freed_capacity) {
    c->freed_capacity = c->freed_capacity ? 2 * c->freed_capacity : 16;
    c->freed = xrealloc(c->freed, c->freed_capacity * sizeof *c->freed);
  }
  c->freed[c->freed_count++] = f;
  return ERR_OK;
}

void cuda_destroy_idle(struct cuda_device *c) {
  for (uint32_t i = 0; i < c->freed_count; i++)
    destroy_now(c, &c->freed[i]);
  c->freed_count = 0;
}
