// SPDX-License-Identifier: Apache-2.0
// Images: what the device holds of a case's arrays and textures.
//
// Theory of operation: every array gets a device allocation of its own, filled
// from the host: zone | data | zone. On the virtual GPU, which checks
// bounds itself and names line and thread, the zones are empty, and arrays that
// are only to be read are marked as such. An `out` array
// is filled with NaN patterns drawn anew for each case, so that what was never
// written is known for sure; a scratch array as well, but on the virtual GPU
// nothing is written there, and its use is seen. What is copied goes through
// the arena, which the server sees as well, all arrays behind one wait; what is
// judged is this process's own copy of it.
#include "grade/runner/runner_image.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/remote/remote.h"

enum { ZONE_BYTES = 4096, POISON_BYTES = 1 << 20 };

// ---- Making ----

static size_t image_bytes(const struct image *m) {
  return m->bytes + 2 * m->zone;
}

// Random bits, made quiet NaNs where elements are floats.
static void draw_poison(enum dtype t, char *data, size_t bytes,
                        const struct seed *seed, uint64_t stream) {
  size_t width = dtype_bytes(t);
  seed_fill(seed, stream, data, bytes);
  if (dtype_kind(t) != 'f')
    return;
  for (size_t i = width; i <= bytes; i += width) {
    // The two highest bytes hold the exponent and the quiet bit of each type.
    data[i - 1] |= 0x7f;
    data[i - 2] |= (char)(t == DTYPE_F64 ? 0xf8 : t == DTYPE_F16 ? 0 : 0xc0);
    if (t == DTYPE_F16)
      data[i - 1] |= 0x7e;
  }
}

// A large array gets the same again and again.
static void fill_poison(enum dtype t, char *data, size_t bytes,
                        const struct seed *seed, uint64_t stream) {
  size_t drawn = bytes < POISON_BYTES ? bytes : POISON_BYTES;
  draw_poison(t, data, drawn, seed, stream);
  for (size_t at = drawn; at < bytes; at += drawn)
    memcpy(data + at, data, bytes - at < drawn ? bytes - at : drawn);
}

// Nobody knows what is in a scratch array. A device that sees its use is told
// nothing about it.
static bool is_left_alone(const struct run_images *all, int i) {
  return all->q->exercise->params[i].direction == PARAM_SCRATCH &&
         !all->of[i].zone;
}

enum err run_images_fill(const struct run_images *all, int i,
                         struct err_info *e) {
  struct gpu_device *d = all->d;
  const struct image *m = &all->of[i];
  if (!m->at || is_left_alone(all, i))
    return ERR_OK;
  memcpy(m->shared, m->zones, m->zone);
  memcpy(m->shared + m->zone, m->before, m->bytes);
  memcpy(m->shared + m->zone + m->bytes, m->zones + m->zone, m->zone);
  return d->backend->copy_in(d, m->at, m->shared, image_bytes(m), 0, e);
}

// What the data are before the first launch. What is given is not copied.
static void choose_data(const struct run_request *q, int i, struct image *m) {
  const struct exercise_param *p = &q->exercise->params[i];
  bool is_result = p->direction == PARAM_OUT;
  m->before = q->input->args[i].data;
  if (!is_result && p->direction != PARAM_SCRATCH)
    return;
  m->before = m->drawn = try_malloc(m->bytes);
  if (m->drawn && is_result && q->zeroes_results)
    memset(m->drawn, 0, m->bytes);
  else if (m->drawn)
    fill_poison(p->dtype, m->drawn, m->bytes, q->seed, 1001 + 2 * (uint64_t)i);
}

static enum err make_image(struct run_images *all, int i, struct err_info *e) {
  const struct run_request *q = all->q;
  const struct exercise_param *p = &q->exercise->params[i];
  const struct case_arg *a = &q->input->args[i];
  struct image *m = &all->of[i];
  m->zone = all->has_zones ? ZONE_BYTES : 0;
  m->bytes = a->count * dtype_bytes(p->dtype);
  m->zones = try_malloc(4 * m->zone);
  m->after = try_malloc(m->bytes);
  choose_data(q, i, m);
  if (!m->zones || !m->after || !m->before)
    return err_set(e, ERR_NOMEM, "no memory for %s of %zu bytes", p->name,
                   m->bytes);
  seed_fill(q->seed, 1000 + 2 * (uint64_t)i, m->zones, 2 * m->zone);
  struct gpu_device *d = all->d;
  bool is_input = p->direction == PARAM_IN && !all->has_zones;
  unsigned flags = is_input ? GPU_ALLOC_INPUT : 0;
  enum err err = ERR_OK;
  if (!is_left_alone(all, i))
    err = arena_alloc(all->arena, image_bytes(m), (void **)&m->shared, e);
  if (!err)
    err = d->backend->mem_alloc(d, image_bytes(m), flags, &m->at, e);
  return err ? err : run_images_fill(all, i, e);
}

static enum err make_texture(struct run_images *all, int i,
                             struct err_info *e) {
  const struct exercise_param *p = &all->q->exercise->params[i];
  const struct case_arg *a = &all->q->input->args[i];
  struct image *m = &all->of[i];
  struct gpu_device *d = all->d;
  struct gpu_array_desc desc = {.width = (uint32_t)a->shape[1],
                                .height = (uint32_t)a->shape[0],
                                .format = GPU_FORMAT_F32,
                                .channels = 1};
  enum err err = d->backend->array_create(d, &desc, &m->picture, e);
  struct gpu_array_copy copy = {.array = m->picture,
                                .to_array = true,
                                .host = a->data,
                                .bytes = gpu_array_bytes(&desc)};
  if (!err)
    err = d->backend->array_copy(d, &copy, e);
  struct gpu_texture_desc t = {
      .resource = GPU_RESOURCE_ARRAY,
      .array = m->picture,
      .address_mode = {p->address_mode, p->address_mode, p->address_mode},
      .filter = p->filter,
      .is_normalized = p->is_normalized,
      .reads_elements = true,
  };
  return err ? err : d->backend->texture_create(d, &t, &m->texture, e);
}

enum err run_images_make(struct run_images *all, struct err_info *e) {
  enum err err = ERR_OK;
  for (int i = 0; i < all->q->exercise->param_count && !err; i++) {
    enum direction d = all->q->exercise->params[i].direction;
    if (d == PARAM_TEXTURE)
      err = make_texture(all, i, e);
    else if (d != PARAM_CONSTANT && all->q->input->args[i].data)
      err = make_image(all, i, e);
  }
  return err;
}

// A process that could not be reaped may still write there: then it is lost.
static void release(struct run_images *all) {
  struct gpu_device *d = all->d;
  if (all->is_coming && !remote_has_died(d))
    remote_wait(d, GPU_ALL_STREAMS, NULL);
  for (int i = 0; i < EXERCISE_MAX_PARAMS; i++)
    if (all->of[i].shared && !(remote_has_died(d) && remote_pid(d)))
      arena_release(all->arena, all->of[i].shared);
}

void run_images_drop(struct run_images *all) {
  struct gpu_device *d = all->d;
  release(all);
  for (int i = 0; i < EXERCISE_MAX_PARAMS; i++) {
    struct image *m = &all->of[i];
    if (m->texture && !remote_has_died(d))
      d->backend->texture_destroy(d, m->texture, NULL);
    if (m->picture && !remote_has_died(d))
      d->backend->array_destroy(d, m->picture, NULL);
    if (m->at && !remote_has_died(d))
      d->backend->mem_free(d, m->at, NULL);
    free(m->zones);
    free(m->drawn);
    free(m->after);
  }
}

// ---- Looking at what is left ----

static uint32_t changed_elements(const char *a, const char *b, size_t bytes,
                                 size_t width) {
  uint32_t count = 0;
  for (size_t i = 0; i + width <= bytes; i += width)
    count += memcmp(a + i, b + i, width) != 0;
  return count;
}

static void look_at(struct run_images *all, int i, struct run_result *out) {
  const struct exercise_param *p = &all->q->exercise->params[i];
  struct image *m = &all->of[i];
  size_t width = dtype_bytes(p->dtype);
  memcpy(m->zones + 2 * m->zone, m->shared, m->zone);
  memcpy(m->after, m->shared + m->zone, m->bytes);
  memcpy(m->zones + 3 * m->zone, m->shared + m->zone + m->bytes, m->zone);
  const char *before = m->zones, *after = m->zones + 2 * m->zone;
  out->spilled_before[i] = changed_elements(before, after, m->zone, width);
  out->spilled_behind[i] =
      changed_elements(before + m->zone, after + m->zone, m->zone, width);
  out->was_changed[i] =
      p->direction == PARAM_IN && memcmp(m->before, m->after, m->bytes) != 0;
  if (p->direction == PARAM_SCRATCH)
    return;
  // Handed on, not copied; `before` still says what another launch begins with.
  out->data[i] = m->after;
  out->poison[i] = p->direction == PARAM_OUT ? m->drawn : NULL;
  m->after = NULL;
  if (out->poison[i])
    m->drawn = NULL;
}

static bool is_looked_at(const struct run_images *all, int i) {
  return all->of[i].at && !is_left_alone(all, i);
}

enum err run_images_look(struct run_images *all, struct run_result *out,
                         struct err_info *e) {
  struct gpu_device *d = all->d;
  enum err err = ERR_OK;
  all->is_coming = true;
  for (int i = 0; i < all->q->exercise->param_count && !err; i++) {
    const struct image *m = &all->of[i];
    if (is_looked_at(all, i))
      err = d->backend->copy_out(d, m->shared, m->at, image_bytes(m), 0, e);
  }
  if (!err) {
    err = remote_wait(d, GPU_ALL_STREAMS, e);
    all->is_coming = false;
  }
  if (err && err != ERR_UNINITIALISED) // which is about what has come
    return err;
  for (int i = 0; i < all->q->exercise->param_count; i++)
    if (is_looked_at(all, i))
      look_at(all, i, out);
  out->has_data = true;
  return err;
}

size_t runner_count_kept(const struct run_result *r, int i, size_t count,
                         size_t width) {
  return count -
         changed_elements(r->data[i], r->poison[i], count * width, width);
}
