// SPDX-License-Identifier: Apache-2.0
// tex, tld4, txq, suld, sust, sured and suq. Lanes fetch one after the other;
// what they ask for is checked like any access to memory.
//
// PTX ISA: "Texture Instructions", "Surface Instructions".
#include "gpu/vgpu/ops/ops.h"

#include <inttypes.h>
#include <stdio.h>

#include "gpu/vgpu/check/check.h"
#include "gpu/vgpu/cost.h"
#include "gpu/vgpu/lanes.h"
#include "gpu/vgpu/launch.h"
#include "gpu/vgpu/memory/memory.h"
#include "gpu/vgpu/ops/half.h"
#include "gpu/vgpu/ops/texel.h"

enum { FETCH_COST = 24 }; // of one lane

// ---- Words ----

static const char *geometry_word(int geometry) {
  static const char *const words[] = {
      [PTX_1D] = "one dimension",
      [PTX_2D] = "two dimensions",
      [PTX_3D] = "three dimensions",
      [PTX_A1D] = "layers of one dimension",
      [PTX_A2D] = "layers of two dimensions",
      [PTX_CUBE] = "a cube map",
      [PTX_ACUBE] = "layers of cube maps",
  };
  return words[geometry];
}

static int geometry_of(const struct vg_object *o) {
  bool is_layered = o->shape.flags & GPU_ARRAY_LAYERED;
  if (o->is_cube)
    return is_layered ? PTX_ACUBE : PTX_CUBE;
  if (is_layered)
    return o->shape.height ? PTX_A2D : PTX_A1D;
  return o->shape.depth ? PTX_3D : o->shape.height ? PTX_2D : PTX_1D;
}

// "16 x 8 elements of 4 bytes".
static void describe_shape(const struct vg_object *o, char *out, size_t size) {
  char height[16] = "", depth[16] = "";
  if (o->shape.height)
    snprintf(height, sizeof height, " x %" PRIu32, o->shape.height);
  if (o->shape.depth)
    snprintf(depth, sizeof depth, " x %" PRIu32, o->shape.depth);
  snprintf(out, size, "%" PRIu32 "%s%s elements of %" PRIu32 " bytes",
           o->shape.width, height, depth, o->element_bytes);
}

static uint64_t lane_handle(struct vg_warp *w, vg_place at, int l) {
  return ((const uint64_t *)VG_AT(w, at))[l];
}

// `f` says what is wrong, and this where.
static void report(struct vg_warp *w, const struct vg_insn *i, int lane,
                   struct vg_fault f) {
  bool is_surface = i->ptx->op == PTX_OP_SULD || i->ptx->op == PTX_OP_SUST ||
                    i->ptx->op == PTX_OP_SURED || i->ptx->op == PTX_OP_SUQ;
  f.space = is_surface ? GPU_SPACE_SURFACE : GPU_SPACE_TEXTURE;
  f.address = lane_handle(w, i->src[0], lane);
  f.bytes = (uint32_t)i->bytes * i->vec;
  vg_report(w, i, lane, &f);
}

// ---- Objects ----

static void blame_handle(struct vg_warp *w, const struct vg_insn *i, int l,
                         const struct vg_object *o, enum vg_object_kind want) {
  const char *name = want == VG_TEXTURE ? "texture" : "surface";
  char text[200];
  if (o && !atomic_load(&o->is_live)) {
    snprintf(text, sizeof text, "the %s object was destroyed", name);
    report(w, i, l,
           (struct vg_fault){
               .kind = ERR_USE_AFTER_FREE, .access = GPU_READ, .text = text});
    return;
  }
  if (o)
    snprintf(text, sizeof text,
             "a %s object where a %s object is needed: cuda.%s(array) makes "
             "one",
             want == VG_TEXTURE ? "surface" : "texture", name, name);
  else
    snprintf(text, sizeof text,
             "0x%" PRIx64 " is no %s object: pass what cuda.%s(...) gives",
             lane_handle(w, i->src[0], l), name, name);
  report(w, i, l, (struct vg_fault){.kind = ERR_ARGUMENT, .text = text});
}

static struct vg_object *find_object(struct vg_warp *w, const struct vg_insn *i,
                                     int l, enum vg_object_kind want) {
  struct vg_object *o =
      vg_object_find(w->block->grid->objects, lane_handle(w, i->src[0], l));
  if (o && o->kind == want && atomic_load(&o->is_live))
    return o;
  blame_handle(w, i, l, o, want);
  return NULL;
}

// The host place of the object's first element; NULL (reported) once its memory
// is gone.
static uint8_t *object_data(struct vg_warp *w, const struct vg_insn *i, int l,
                            const struct vg_object *o, struct vg_alloc **out) {
  const struct vg_memory *memory = w->block->grid->memory;
  struct vg_alloc *a = vg_slot(memory, o->base >> VG_SLOT_BITS);
  uint64_t offset = o->base & (VG_WINDOW(1) - 1);
  if (!a || !a->data) {
    report(w, i, l,
           (struct vg_fault){.kind = ERR_USE_AFTER_FREE,
                             .access = GPU_READ,
                             .text = o->kind == VG_TEXTURE
                                         ? "the texture's array was freed"
                                         : "the surface's array was freed"});
    return NULL;
  }
  *out = a;
  return a->data + offset;
}

// A 2D array may be read as a layer of one, and so on: no. What is asked for
// must be what the object was made from.
static bool has_geometry(struct vg_warp *w, const struct vg_insn *i, int l,
                         const struct vg_object *o) {
  const struct vg_tex *t = i->texture;
  int have = geometry_of(o), want = t->geometry;
  // surfCubemap... goes through a2d; a layer of it is a face.
  bool is_face = o->kind == VG_SURFACE && want == PTX_A2D && o->is_cube;
  char text[200];
  if (have != want && !is_face)
    snprintf(text, sizeof text, "the %s has %s, and this reads %s",
             o->kind == VG_TEXTURE ? "texture" : "surface", geometry_word(have),
             geometry_word(want));
  else if (o->is_linear && !t->is_whole)
    snprintf(text, sizeof text,
             "the texture is linear memory, which only tex1Dfetch reads");
  else if (want == PTX_1D && t->is_whole && !o->is_linear)
    snprintf(text, sizeof text,
             "the texture is a CUDA array, which tex1Dfetch does not read: "
             "use tex1D with the element's number + 0.5f");
  else
    return true;
  report(w, i, l, (struct vg_fault){.kind = ERR_ARGUMENT, .text = text});
  return false;
}

// ---- Results ----

static void give(struct vg_warp *w, vg_place at, int bytes, int l,
                 uint64_t value) {
  if (at == VG_NOWHERE)
    return;
  if (bytes == 8)
    ((uint64_t *)VG_AT(w, at))[l] = value;
  else
    ((uint32_t *)VG_AT(w, at))[l] = (uint32_t)value;
}

static void give_poison(struct vg_warp *w, const struct vg_insn *i, int l) {
  for (int v = 0; v < i->vec; v++)
    give(w, i->vector->at[v], i->bytes, l, VG_POISON);
}

static uint32_t to_half(uint32_t bits) {
  float f;
  memcpy(&f, &bits, sizeof f);
  return vg_half_from_double((double)f, VG_F16, PTX_RN);
}

static void give_four(struct vg_warp *w, const struct vg_insn *i, int l,
                      const uint32_t v[4]) {
  if (i->type == PTX_F16X2) {
    for (int n = 0; n < 2; n++)
      give(w, i->vector->at[n], 4, l,
           to_half(v[2 * n]) | to_half(v[2 * n + 1]) << 16);
    return;
  }
  for (int n = 0; n < i->vec; n++)
    give(w, i->vector->at[n], 4, l, v[n]);
}

// ---- tex and tld4 ----

static void read_coordinates(struct vg_warp *w, const struct vg_insn *i, int l,
                             struct vg_fetch *f) {
  const struct vg_tex *t = i->texture;
  for (int n = 0; n < t->coords.count && n < 4; n++)
    f->at.i[n] = ((const int32_t *)VG_AT(w, t->coords.at[n]))[l];
  for (int n = 0; n < t->offset.count && n < 3; n++)
    f->offset[n] = ((const int32_t *)VG_AT(w, t->offset.at[n]))[l];
}

// Bits are given as they are; which type they have is the kernel's claim.
static void check_type(struct vg_warp *w, const struct vg_insn *i, int l,
                       const struct vg_object *o) {
  bool wants_float = i->type == PTX_F32 || i->type == PTX_F16X2;
  if (wants_float == o->is_float)
    return;
  report(w, i, l,
         (struct vg_fault){
             .kind = ERR_ARGUMENT,
             .severity = GPU_WARNING,
             .text = o->is_float
                         ? "the texture gives floats, and this reads integers: "
                           "the bits are taken as they are"
                         : "the texture gives integers, and this reads floats: "
                           "the bits are taken as they are"});
}

static void report_fetch(struct vg_warp *w, const struct vg_insn *i, int l,
                         const struct vg_fetch *f) {
  char shape[80], text[200];
  if (f->is_outside) {
    describe_shape(f->texture, shape, sizeof shape);
    snprintf(text, sizeof text, "the texture has %s", shape);
    report(w, i, l,
           (struct vg_fault){.kind = ERR_OUT_OF_BOUNDS,
                             .severity = GPU_NOTE,
                             .access = GPU_READ,
                             .text = text});
  }
  if (f->is_layer_outside) {
    snprintf(text, sizeof text,
             "layer %" PRIu32 " of a texture of %" PRIu32
             " layers: the last one is read",
             (uint32_t)f->at.i[0], f->texture->layers);
    report(w, i, l,
           (struct vg_fault){.kind = ERR_OUT_OF_BOUNDS,
                             .severity = GPU_WARNING,
                             .access = GPU_READ,
                             .text = text});
  }
  if (f->is_undefined)
    report(w, i, l,
           (struct vg_fault){.kind = ERR_UNINITIALISED, .access = GPU_READ});
}

// What the lanes look at: mostly all at the same.
struct look {
  uint64_t handle;
  bool is_right;
  const struct vg_object *object;
  const uint8_t *data;
  const struct vg_alloc *alloc;
  const struct vg_alloc *watched; // NULL: all its bytes are defined
};

static void look_at(struct vg_warp *w, const struct vg_insn *i, int l,
                    struct look *k) {
  struct vg_alloc *a = NULL;
  k->is_right = false;
  k->handle = lane_handle(w, i->src[0], l);
  k->object = find_object(w, i, l, VG_TEXTURE);
  if (!k->object || !has_geometry(w, i, l, k->object))
    return;
  k->data = object_data(w, i, l, k->object, &a);
  bool is_watched =
      w->block->grid->is_checked && a && a->defined && !a->is_defined;
  k->alloc = a;
  k->watched = is_watched ? a : NULL;
  k->is_right = k->data != NULL;
}

// A lane whose look was wrong is looked at again, so that it is reported, too.
static bool is_same_look(struct vg_warp *w, const struct vg_insn *i, int l,
                         const struct look *k) {
  return k->is_right && k->handle == lane_handle(w, i->src[0], l);
}

static bool fetch_lane(struct vg_warp *w, const struct vg_insn *i, int l,
                       struct look *k, uint32_t out[4]) {
  const struct vg_tex *t = i->texture;
  if (!is_same_look(w, i, l, k))
    look_at(w, i, l, k);
  if (!k->is_right)
    return false;
  struct vg_fetch f = {.texture = k->object,
                       .sampler = &k->object->desc,
                       .data = k->data,
                       .watched = k->watched,
                       .from = k->object->base & (VG_WINDOW(1) - 1),
                       .geometry = t->geometry,
                       .is_whole = t->is_whole};
  read_coordinates(w, i, l, &f);
  if (i->ptx->op == PTX_OP_TLD4)
    vg_fetch_gather(&f, i->sub, out);
  else
    vg_fetch_texel(&f, out);
  if (w->block->grid->is_checked) {
    check_type(w, i, l, k->object);
    report_fetch(w, i, l, &f);
  }
  for (int n = 0; n < f.element_count && k->alloc->watched; n++)
    vg_on_fetch(w, i, l, k->alloc, f.elements[n], k->object->element_bytes);
  return true;
}

static void op_tex(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  struct look k = {.is_right = false};
  vg_charge(w, FETCH_COST * (uint64_t)__builtin_popcount(m));
  for (int l = 0; l < VG_LANES; l++) {
    uint32_t v[4];
    if (!(m >> l & 1))
      continue;
    if (fetch_lane(w, i, l, &k, v))
      give_four(w, i, l, v);
    else
      give_poison(w, i, l);
  }
  if (i->dst2 != VG_NOWHERE) // all memory is resident here
    set_predicate(w, i->dst2, m, VG_ALL);
}

// ---- txq and suq ----

// Names of opaque types' fields (PTX ISA, "Channel Data Type and Channel Order
// Fields"), the same numbers as OpenCL's.
enum {
  CHANNEL_UNORM_INT8 = 0x10D2,
  CHANNEL_SNORM_INT8 = 0x10D0,
  CHANNEL_UNORM_INT16 = 0x10D3,
  CHANNEL_SNORM_INT16 = 0x10D1,
  CHANNEL_SIGNED_INT8 = 0x10D7,
  CHANNEL_UNSIGNED_INT8 = 0x10DA,
  CHANNEL_HALF_FLOAT = 0x10DD,
  CHANNEL_FLOAT = 0x10DE,
  ORDER_R = 0x10B0,
  ORDER_RG = 0x10B2,
  ORDER_RGBA = 0x10B5
};

static uint32_t channel_type(const struct vg_object *o) {
  bool is_norm = o->kind == VG_TEXTURE && o->is_float;
  switch (o->shape.format) {
  case GPU_FORMAT_U8:
    return is_norm ? CHANNEL_UNORM_INT8 : CHANNEL_UNSIGNED_INT8;
  case GPU_FORMAT_U16:
    return is_norm ? CHANNEL_UNORM_INT16 : CHANNEL_UNSIGNED_INT8 + 1;
  case GPU_FORMAT_U32: return CHANNEL_UNSIGNED_INT8 + 2;
  case GPU_FORMAT_S8: return is_norm ? CHANNEL_SNORM_INT8 : CHANNEL_SIGNED_INT8;
  case GPU_FORMAT_S16:
    return is_norm ? CHANNEL_SNORM_INT16 : CHANNEL_SIGNED_INT8 + 1;
  case GPU_FORMAT_S32: return CHANNEL_SIGNED_INT8 + 2;
  case GPU_FORMAT_F16: return CHANNEL_HALF_FLOAT;
  default: return CHANNEL_FLOAT;
  }
}

// Wrap, mirror, clamp_ogl, clamp_to_edge, clamp_to_border, in this order.
static uint32_t address_number(uint32_t mode) {
  static const uint8_t numbers[] = {[GPU_ADDRESS_WRAP] = 0,
                                    [GPU_ADDRESS_MIRROR] = 1,
                                    [GPU_ADDRESS_CLAMP] = 3,
                                    [GPU_ADDRESS_BORDER] = 4};
  return numbers[mode];
}

static uint32_t answer(const struct vg_object *o, int query) {
  switch (query) {
  case PTX_QUERY_WIDTH: return o->shape.width;
  case PTX_QUERY_HEIGHT: return o->shape.height;
  case PTX_QUERY_DEPTH: return o->layers ? 0 : o->shape.depth;
  case PTX_QUERY_CHANNEL_TYPE: return channel_type(o);
  case PTX_QUERY_CHANNEL_ORDER:
    return o->shape.channels == 1   ? ORDER_R
           : o->shape.channels == 2 ? ORDER_RG
                                    : ORDER_RGBA;
  case PTX_QUERY_NORMALIZED: return o->desc.is_normalized;
  case PTX_QUERY_FORCE_UNNORMALIZED: return !o->desc.is_normalized;
  case PTX_QUERY_FILTER: return o->desc.filter;
  case PTX_QUERY_ADDRESS_0:
  case PTX_QUERY_ADDRESS_1:
  case PTX_QUERY_ADDRESS_2:
    return address_number(o->desc.address_mode[query - PTX_QUERY_ADDRESS_0]);
  case PTX_QUERY_LAYERS: return o->is_cube ? o->layers / 6 : o->layers;
  case PTX_QUERY_LAYOUT: return 0; // not one row behind the other
  default: return 1;               // levels and samples
  }
}

static void op_query(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  enum vg_object_kind want = i->ptx->op == PTX_OP_TXQ ? VG_TEXTURE : VG_SURFACE;
  for (int l = 0; l < VG_LANES; l++) {
    if (!(m >> l & 1))
      continue;
    const struct vg_object *o = find_object(w, i, l, want);
    give(w, i->vector->at[0], 4, l, o ? answer(o, i->sub) : VG_POISON);
  }
}

// ---- suld, sust and sured ----

// Where one lane's access to a surface lies.
struct cell {
  const struct vg_object *object;
  struct vg_alloc *alloc;
  uint8_t *at;     // NULL: outside, and to be left out
  uint64_t offset; // in the allocation
  int64_t x, y, z; // x in bytes
  bool is_outside;
};

static void take_cell(struct vg_warp *w, const struct vg_insn *i, int l,
                      struct cell *c) {
  const struct vg_tex *t = i->texture;
  int32_t at[4] = {0};
  for (int n = 0; n < t->coords.count && n < 4; n++)
    at[n] = ((const int32_t *)VG_AT(w, t->coords.at[n]))[l];
  int from = t->geometry == PTX_A1D || t->geometry == PTX_A2D;
  int axes = t->geometry == PTX_1D || t->geometry == PTX_A1D   ? 1
             : t->geometry == PTX_2D || t->geometry == PTX_A2D ? 2
                                                               : 3;
  c->x = at[from];
  c->y = axes > 1 ? at[from + 1] : 0;
  c->z = axes > 2 ? at[2] : from ? (int64_t)(uint32_t)at[0] : 0;
  if (t->is_formatted)
    c->x *= c->object->element_bytes;
}

static int64_t nearest(int64_t x, int64_t last) {
  return x < 0 ? 0 : x > last ? last : x;
}

static void report_cell(struct vg_warp *w, const struct vg_insn *i, int l,
                        const struct cell *c, enum gpu_access access) {
  char shape[80], text[200];
  describe_shape(c->object, shape, sizeof shape);
  snprintf(text, sizeof text,
           "x is byte %" PRId64 ", y %" PRId64 ", z or layer %" PRId64
           ", and the surface has %s",
           c->x, c->y, c->z, shape);
  report(w, i, l,
         (struct vg_fault){
             .kind = ERR_OUT_OF_BOUNDS, .access = access, .text = text});
}

// The host place of an access; false (reported where it is wrong) when there is
// none.
static bool place_cell(struct vg_warp *w, const struct vg_insn *i, int l,
                       uint32_t bytes, enum gpu_access access, struct cell *c) {
  const struct vg_tex *t = i->texture;
  const struct vg_object *o = find_object(w, i, l, VG_SURFACE);
  if (!o || !has_geometry(w, i, l, o))
    return false;
  c->object = o;
  uint8_t *data = object_data(w, i, l, o, &c->alloc);
  if (!data)
    return false;
  take_cell(w, i, l, c);
  int64_t rows = o->shape.height ? o->shape.height : 1;
  int64_t planes = o->shape.depth ? o->shape.depth : 1;
  int64_t last = (int64_t)o->row_bytes - bytes;
  if (c->x % bytes) {
    report(w, i, l,
           (struct vg_fault){.kind = ERR_MISALIGNED,
                             .access = access,
                             .text = "x is no multiple of the bytes accessed"});
    return false;
  }
  c->is_outside = c->x < 0 || c->x > last || c->y < 0 || c->y >= rows ||
                  c->z < 0 || c->z >= planes;
  if (c->is_outside && t->bound == PTX_BOUND_TRAP)
    report_cell(w, i, l, c, access);
  if (c->is_outside && (t->bound != PTX_BOUND_CLAMP || last < 0))
    return false;
  c->x = nearest(c->x, last < 0 ? 0 : last / bytes * bytes);
  c->y = nearest(c->y, rows - 1);
  c->z = nearest(c->z, planes - 1);
  uint64_t at = (uint64_t)c->z * o->slice_bytes +
                (uint64_t)c->y * o->pitch_bytes + (uint64_t)c->x;
  c->at = data + at;
  c->offset = (o->base & (VG_WINDOW(1) - 1)) + at;
  return true;
}

static void check_cell(struct vg_warp *w, const struct vg_insn *i, int l,
                       const struct cell *c, uint32_t bytes,
                       enum gpu_access access) {
  if (c->alloc->watched) {
    uint64_t offset[VG_LANES] = {0};
    offset[l] = c->offset;
    vg_on_global(w, i, 1u << l, c->alloc,
                 (struct vg_spans){offset, bytes, access});
  }
  if (!w->block->grid->is_checked || !c->alloc->defined)
    return;
  if (access != GPU_WRITE && !vg_any_defined(c->alloc, c->offset, bytes))
    report(w, i, l,
           (struct vg_fault){.kind = ERR_UNINITIALISED, .access = access});
  if (access != GPU_READ)
    vg_define(c->alloc, c->offset, bytes);
}

static void op_suld(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  uint32_t bytes = (uint32_t)i->bytes * i->vec;
  vg_charge(w, VG_LANE_COST * (uint64_t)__builtin_popcount(m));
  for (int l = 0; l < VG_LANES; l++) {
    struct cell c = {0};
    if (!(m >> l & 1))
      continue;
    bool is_there = place_cell(w, i, l, bytes, GPU_READ, &c);
    bool is_zero = c.is_outside && i->texture->bound == PTX_BOUND_ZERO;
    if (is_there)
      check_cell(w, i, l, &c, bytes, GPU_READ);
    for (int v = 0; v < i->vec; v++) {
      uint64_t value = is_zero ? 0 : VG_POISON;
      if (is_there) {
        value = 0;
        memcpy(&value, c.at + (size_t)v * i->bytes, i->bytes);
      }
      give(w, i->vector->at[v], i->bytes, l, value);
    }
  }
}

static uint64_t lane_value(struct vg_warp *w, const struct vg_insn *i, int v,
                           int l) {
  return i->bytes == 8 ? ((const uint64_t *)VG_AT(w, i->vector->at[v]))[l]
                       : ((const uint32_t *)VG_AT(w, i->vector->at[v]))[l];
}

static void op_sust(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  uint32_t bytes = (uint32_t)i->bytes * i->vec;
  vg_charge(w, VG_LANE_COST * (uint64_t)__builtin_popcount(m));
  for (int l = 0; l < VG_LANES; l++) {
    struct cell c = {0};
    if (!(m >> l & 1) || !place_cell(w, i, l, bytes, GPU_WRITE, &c))
      continue;
    check_cell(w, i, l, &c, bytes, GPU_WRITE);
    for (int v = 0; v < i->vec; v++) {
      uint64_t value = lane_value(w, i, v, l);
      memcpy(c.at + (size_t)v * i->bytes, &value, i->bytes);
    }
  }
}

// How many bytes an element of this lane's surface has; 0 when it is none.
static uint32_t element_bytes(struct vg_warp *w, const struct vg_insn *i,
                              int l) {
  const struct vg_object *o = find_object(w, i, l, VG_SURFACE);
  return o ? o->element_bytes : 0;
}

// sust.p: x counts elements, and the values are converted to the surface's
// format.
static void op_sust_formatted(struct vg_warp *w, const struct vg_insn *i,
                              vg_mask m) {
  vg_charge(w, VG_LANE_COST * (uint64_t)__builtin_popcount(m));
  for (int l = 0; l < VG_LANES; l++) {
    struct cell c = {0};
    uint32_t bytes = m >> l & 1 ? element_bytes(w, i, l) : 0;
    if (!bytes || !place_cell(w, i, l, bytes, GPU_WRITE, &c))
      continue;
    check_cell(w, i, l, &c, bytes, GPU_WRITE);
    uint32_t value[4] = {0};
    for (int v = 0; v < i->vec; v++)
      value[v] = (uint32_t)lane_value(w, i, v, l);
    vg_texel_pack(c.object, value, c.at);
  }
}

static bool is_less(int type, uint64_t x, uint64_t y) {
  switch (type) {
  case PTX_S32: return (int32_t)x < (int32_t)y;
  case PTX_S64: return (int64_t)x < (int64_t)y;
  default: return x < y;
  }
}

static uint64_t combine(const struct vg_insn *i, uint64_t old, uint64_t b) {
  switch (i->sub) {
  case PTX_ATOM_ADD: return old + b;
  case PTX_ATOM_MIN: return is_less(i->type, b, old) ? b : old;
  case PTX_ATOM_MAX: return is_less(i->type, old, b) ? b : old;
  case PTX_ATOM_AND: return old & b;
  default: return old | b;
  }
}

static void op_sured(struct vg_warp *w, const struct vg_insn *i, vg_mask m) {
  vg_charge(w, VG_ATOM_COST);
  for (int l = 0; l < VG_LANES; l++) {
    struct cell c = {0};
    if (!(m >> l & 1) || !place_cell(w, i, l, i->bytes, GPU_ATOMIC, &c))
      continue;
    check_cell(w, i, l, &c, i->bytes, GPU_ATOMIC);
    uint64_t old = 0, mask = i->bytes == 8 ? ~UINT64_C(0) : UINT32_MAX;
    memcpy(&old, c.at, i->bytes);
    old = combine(i, old, lane_value(w, i, 0, l) & mask);
    memcpy(c.at, &old, i->bytes);
  }
}

// ---- Lookup ----

static bool is_known_reduction(const struct ptx_insn *p) {
  bool is_bitwise = p->sub == PTX_ATOM_AND || p->sub == PTX_ATOM_OR;
  switch (p->type) {
  case PTX_B32: return is_bitwise || p->is_formatted;
  case PTX_U32:
  case PTX_S32: return p->sub && !is_bitwise;
  case PTX_U64: return p->sub && !is_bitwise;
  case PTX_S64: return p->sub == PTX_ATOM_MIN || p->sub == PTX_ATOM_MAX;
  default: return false;
  }
}

vg_handler vg_find_texture(const struct ptx_insn *p) {
  bool is_cube = p->geometry == PTX_CUBE || p->geometry == PTX_ACUBE;
  bool is_fetch = p->op == PTX_OP_TEX || p->op == PTX_OP_TLD4;
  bool is_whole = p->type2 == PTX_S32;
  // Samplers apart from their textures are of .texmode_independent, which CUDA
  // does not use.
  if ((is_cube && (!is_fetch || is_whole)) ||
      p->operands[PTX_TEX_SAMPLER].kind != PTX_NONE)
    return NULL;
  switch (p->op) {
  case PTX_OP_TEX: return op_tex;
  case PTX_OP_TLD4:
    return p->geometry == PTX_2D || p->geometry == PTX_A2D || is_cube ? op_tex
                                                                      : NULL;
  case PTX_OP_TXQ:
  case PTX_OP_SUQ: return p->type == PTX_B32 ? op_query : NULL;
  case PTX_OP_SULD: return p->is_formatted ? NULL : op_suld;
  case PTX_OP_SUST:
    if (!p->is_formatted)
      return op_sust;
    return ptx_type_bytes((enum ptx_type)p->type) == 4 ? op_sust_formatted
                                                       : NULL;
  case PTX_OP_SURED: return is_known_reduction(p) ? op_sured : NULL;
  default: return NULL;
  }
}
