// SPDX-License-Identifier: Apache-2.0
// Addressing, filtering and conversion of texture elements.
//
// CUDA C++ Programming Guide, "Texture Fetching": a linear filter's weights are
// fixed-point numbers with 8 fractional bits. Coordinates are rounded to those
// 1/256 of an element; the weighted sum is computed in double and rounded once.
// PTX ISA: "Texture Instructions"; OpenCL's rules for the modes are the same.
#include "gpu/vgpu/ops/texel.h"

#include <math.h>
#include <string.h>

#include "gpu/ptx/ptx.h"
#include "gpu/vgpu/memory/memory.h"
#include "gpu/vgpu/ops/half.h"

enum { FRACTION_BITS = 8, FRACTION = 1 << FRACTION_BITS };

// ---- Elements ----

static uint32_t float_bits(double x) {
  float f = (float)x;
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  return bits;
}

static float bits_float(uint32_t bits) {
  float f;
  memcpy(&f, &bits, sizeof f);
  return f;
}

// IEC 61966-2-1.
static double from_srgb(double c) {
  return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static uint32_t unpack_channel(const struct vg_object *o, const uint8_t *p,
                               int channel) {
  bool is_norm = o->is_float;
  uint16_t h;
  uint32_t w;
  switch (o->shape.format) {
  case GPU_FORMAT_U8:
    if (!is_norm)
      return *p;
    if (o->desc.is_srgb && channel < 3)
      return float_bits(from_srgb(*p / 255.0));
    return float_bits(*p / 255.0);
  case GPU_FORMAT_S8:
    if (!is_norm)
      return (uint32_t)(int8_t)*p;
    return float_bits(fmax((int8_t)*p / 127.0, -1));
  case GPU_FORMAT_U16:
    memcpy(&h, p, sizeof h);
    return is_norm ? float_bits(h / 65535.0) : h;
  case GPU_FORMAT_S16:
    memcpy(&h, p, sizeof h);
    return is_norm ? float_bits(fmax((int16_t)h / 32767.0, -1))
                   : (uint32_t)(int16_t)h;
  case GPU_FORMAT_F16:
    memcpy(&h, p, sizeof h);
    return float_bits(vg_half_to_double(h, VG_F16));
  default: memcpy(&w, p, sizeof w); return w;
  }
}

// Channels that the element lacks are 0, as on the H200; no manual says.
static void unpack(const struct vg_object *o, const uint8_t *p,
                   uint32_t out[4]) {
  out[1] = out[2] = out[3] = 0;
  if (o->shape.format == GPU_FORMAT_F32) { // most textures
    memcpy(out, p, o->element_bytes);
    return;
  }
  uint32_t bytes = gpu_format_bytes(o->shape.format);
  for (uint32_t c = 0; c < o->shape.channels; c++)
    out[c] = unpack_channel(o, p + (size_t)c * bytes, (int)c);
}

static int64_t clamp(int64_t x, int64_t low, int64_t high) {
  return x < low ? low : x > high ? high : x;
}

void vg_texel_pack(const struct vg_object *o, const uint32_t in[4],
                   uint8_t *p) {
  uint32_t bytes = gpu_format_bytes(o->shape.format);
  for (uint32_t c = 0; c < o->shape.channels; c++) {
    uint32_t v = in[c];
    switch (o->shape.format) {
    case GPU_FORMAT_U8: v = v > 0xFF ? 0xFF : v; break;
    case GPU_FORMAT_U16: v = v > 0xFFFF ? 0xFFFF : v; break;
    case GPU_FORMAT_S8: v = (uint32_t)clamp((int32_t)v, -128, 127); break;
    case GPU_FORMAT_S16: v = (uint32_t)clamp((int32_t)v, -32768, 32767); break;
    case GPU_FORMAT_F16:
      v = vg_half_from_double((double)bits_float(v), VG_F16, PTX_RN);
      break;
    default: break;
    }
    memcpy(p + (size_t)c * bytes, &v, bytes);
  }
}

// ---- Addressing ----

static int64_t floor_mod(int64_t x, int64_t n) {
  int64_t r = x % n;
  return r < 0 ? r + n : r;
}

// The element that an index stands for, -1 for the border.
static int64_t resolve(uint32_t mode, int64_t i, int64_t n) {
  switch (mode) {
  case GPU_ADDRESS_WRAP: return floor_mod(i, n);
  case GPU_ADDRESS_MIRROR:
    i = floor_mod(i, 2 * n);
    return i < n ? i : 2 * n - 1 - i;
  case GPU_ADDRESS_CLAMP: return clamp(i, 0, n - 1);
  default: return i < 0 || i >= n ? -1 : i;
  }
}

// A coordinate in elements. Whole turns of a repeating texture go first, so
// that far coordinates keep their fraction.
static double in_elements(const struct vg_fetch *f, double x, uint32_t mode,
                          uint32_t n) {
  if (!f->sampler->is_normalized)
    return x;
  if (mode == GPU_ADDRESS_WRAP)
    x -= floor(x);
  else if (mode == GPU_ADDRESS_MIRROR)
    x -= 2 * floor(x / 2);
  return x * n;
}

// Keeps what is converted to an integer in its range; a NaN is 0.
static double tame(double x) {
  const double most = 1 << 30;
  return x > most ? most : x < -most ? -most : x == x ? x : 0;
}

// One axis of a fetch: the two elements and the weight of the second, in
// 1/FRACTION; `count` is 1 where only the first counts.
struct axis {
  int64_t at[2];
  int weight;
  int count;
};

static struct axis place(const struct vg_fetch *f, double x, int k, uint32_t n,
                         bool is_linear) {
  uint32_t mode = f->sampler->address_mode[k];
  struct axis a = {.count = 1};
  double u = tame(in_elements(f, x, mode, n));
  if (!is_linear) {
    a.at[0] = resolve(mode, (int64_t)floor(u) + f->offset[k], n);
    return a;
  }
  int64_t fixed = (int64_t)floor(u * FRACTION + 0.5) - FRACTION / 2;
  int64_t i = (fixed >> FRACTION_BITS) + f->offset[k];
  a.weight = (int)(fixed & (FRACTION - 1));
  a.count = 2;
  a.at[0] = resolve(mode, i, n);
  a.at[1] = resolve(mode, i + 1, n);
  return a;
}

static const uint8_t *element_at(struct vg_fetch *f, int64_t x, int64_t y,
                                 int64_t z) {
  const struct vg_object *o = f->texture;
  uint64_t at = (uint64_t)z * o->slice_bytes + (uint64_t)y * o->pitch_bytes +
                (uint64_t)x * o->element_bytes;
  if (f->watched)
    f->is_undefined |=
        !vg_any_defined(f->watched, f->from + at, o->element_bytes);
  if (f->element_count < 8)
    f->elements[f->element_count++] = f->from + at;
  return f->data + at;
}

static void read_element(struct vg_fetch *f, int64_t x, int64_t y, int64_t z,
                         uint32_t out[4]) {
  if (x >= 0 && y >= 0 && z >= 0) {
    unpack(f->texture, element_at(f, x, y, z), out);
    return;
  }
  for (int c = 0; c < 4; c++) // the border
    out[c] = f->texture->is_float ? float_bits((double)f->sampler->border[c])
                                  : (uint32_t)(int64_t)f->sampler->border[c];
}

// ---- Geometry ----

// Where the coordinates of a fetch lie: up to three axes and a layer.
struct spot {
  double at[3];
  int axes;
  int64_t layer;
};

// CUDA C++ Programming Guide, "Cubemap Textures": the axis of the largest
// coordinate chooses the face.
static int cube_face(const float v[3], double *s, double *t) {
  double x = (double)v[0], y = (double)v[1], z = (double)v[2];
  double ax = fabs(x), ay = fabs(y), az = fabs(z), m;
  int face;
  if (ax >= ay && ax >= az) {
    face = x < 0;
    m = ax, *s = x < 0 ? z : -z, *t = -y;
  } else if (ay >= az) {
    face = 2 + (y < 0);
    m = ay, *s = x, *t = y < 0 ? -z : z;
  } else {
    face = 4 + (z < 0);
    m = az, *s = z < 0 ? -x : x, *t = -y;
  }
  *s = (*s / m + 1) / 2;
  *t = (*t / m + 1) / 2;
  return face;
}

static int64_t take_layer(struct vg_fetch *f, int64_t layer, int64_t layers) {
  if (layer >= 0 && layer < layers)
    return layer;
  f->is_layer_outside = true;
  return clamp(layer, 0, layers - 1);
}

static double coordinate(const struct vg_fetch *f, int n) {
  return f->is_whole ? f->at.i[n] : (double)f->at.f[n];
}

static struct spot find_spot(struct vg_fetch *f) {
  static const uint8_t axes[] = {
      [PTX_1D] = 1,  [PTX_2D] = 2,   [PTX_3D] = 3,   [PTX_A1D] = 1,
      [PTX_A2D] = 2, [PTX_CUBE] = 2, [PTX_ACUBE] = 2};
  struct spot s = {.axes = axes[f->geometry]};
  int from = 0;
  if (f->geometry == PTX_A1D || f->geometry == PTX_A2D) {
    s.layer = take_layer(f, (uint32_t)f->at.i[0], f->texture->layers);
    from = 1;
  } else if (f->geometry == PTX_CUBE) {
    s.layer = cube_face(f->at.f, &s.at[0], &s.at[1]);
    return s;
  } else if (f->geometry == PTX_ACUBE) {
    int64_t cubes = f->texture->layers / 6;
    s.layer = 6 * take_layer(f, (uint32_t)f->at.i[0], cubes) +
              cube_face(f->at.f + 1, &s.at[0], &s.at[1]);
    return s;
  }
  for (int k = 0; k < s.axes; k++)
    s.at[k] = coordinate(f, from + k);
  return s;
}

// ---- Fetches ----

static uint32_t axis_size(const struct vg_object *o, int k) {
  uint32_t n = k == 0   ? o->shape.width
               : k == 1 ? o->shape.height
                        : o->shape.depth;
  return n ? n : 1;
}

// Whole coordinates reach elements as they are, past all modes; outside of the
// texture there are zeros.
static void fetch_whole(struct vg_fetch *f, const struct spot *s,
                        uint32_t out[4]) {
  int64_t at[3] = {0, 0, s->layer};
  for (int k = 0; k < s->axes; k++) {
    at[k] = (int64_t)s->at[k] + f->offset[k];
    f->is_outside |= at[k] < 0 || at[k] >= axis_size(f->texture, k);
  }
  memset(out, 0, 4 * sizeof *out);
  if (!f->is_outside)
    read_element(f, at[0], at[1], at[2], out);
}

static void place_all(struct vg_fetch *f, const struct spot *s, bool is_linear,
                      struct axis a[3]) {
  for (int k = 0; k < 3; k++)
    a[k] = k < s->axes
               ? place(f, s->at[k], k, axis_size(f->texture, k), is_linear)
               : (struct axis){.at = {k == 2 ? s->layer : 0}, .count = 1};
}

// The weighted sum of 2, 4 or 8 elements. One of weight 0 is not read, so that
// an infinity beside an element's centre stays out.
static void blend(struct vg_fetch *f, const struct axis a[3], uint32_t out[4]) {
  double sum[4] = {0};
  for (int n = 0; n < 8; n++) {
    int64_t at[3];
    double weight = 1;
    bool is_there = true;
    for (int k = 0; k < 3; k++) {
      int second = n >> k & 1;
      is_there &= second < a[k].count;
      at[k] = a[k].at[second];
      if (a[k].count == 2)
        weight *=
            (double)(second ? a[k].weight : FRACTION - a[k].weight) / FRACTION;
    }
    if (!is_there || weight == 0)
      continue;
    uint32_t element[4];
    read_element(f, at[0], at[1], at[2], element);
    for (int c = 0; c < 4; c++)
      sum[c] += weight * (double)bits_float(element[c]);
  }
  for (int c = 0; c < 4; c++)
    out[c] = float_bits(sum[c]);
}

void vg_fetch_texel(struct vg_fetch *f, uint32_t out[4]) {
  struct axis a[3];
  struct spot s = find_spot(f);
  if (f->is_whole) {
    fetch_whole(f, &s, out);
    return;
  }
  bool is_linear =
      f->sampler->filter == GPU_FILTER_LINEAR && f->texture->is_float;
  place_all(f, &s, is_linear, a);
  if (is_linear)
    blend(f, a, out);
  else
    read_element(f, a[0].at[0], a[1].at[0], a[2].at[0], out);
}

// PTX ISA, "tld4": counter-clockwise from the lower left.
void vg_fetch_gather(struct vg_fetch *f, int channel, uint32_t out[4]) {
  static const uint8_t order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
  struct axis a[3];
  struct spot s = find_spot(f);
  place_all(f, &s, true, a);
  for (int n = 0; n < 4; n++) {
    uint32_t element[4];
    read_element(f, a[0].at[order[n][0]], a[1].at[order[n][1]], a[2].at[0],
                 element);
    out[n] = element[channel];
  }
}
