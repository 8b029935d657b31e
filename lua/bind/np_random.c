// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every machine. The generator is NumPy's
// default one: PCG64 (O'Neill, "PCG: A Family of Simple Fast Space-Efficient
// Statistically Good Algorithms", XSL-RR 128/64) seeded through NumPy's
// SeedSequence; random, uniform and integers give NumPy's own bits. Normal
// numbers come from Marsaglia's polar method with a logarithm of basic
// operations only, so that no C library's rounding shows; NumPy's differ.
#include <math.h>
#include <string.h>

#include "lua/bind/np.h"

#define GENERATOR_TYPE "np.random.Generator"
typedef unsigned __int128 u128;

struct generator {
  u128 state;
  u128 increment;
  uint32_t half; // the unused half of a draw of 32 bits
  bool has_half;
  double spare; // the polar method gives two numbers
  bool has_spare;
};

// ---- PCG64 ----

static void step(struct generator *g) {
  const u128 multiplier =
      (u128)2549297995355413924u << 64 | 4865540595714422341u;
  g->state = g->state * multiplier + g->increment;
}

static uint64_t next64(struct generator *g) {
  step(g);
  uint64_t v = (uint64_t)(g->state >> 64) ^ (uint64_t)g->state;
  unsigned turn = (unsigned)(g->state >> 122);
  return v >> turn | v << (-turn & 63);
}

static uint32_t next32(struct generator *g) {
  if (g->has_half) {
    g->has_half = false;
    return g->half;
  }
  uint64_t v = next64(g);
  g->has_half = true;
  g->half = (uint32_t)(v >> 32);
  return (uint32_t)v;
}

// Between 0 and 1 without 1, 53 random bits.
static double next_unit(struct generator *g) {
  return (double)(next64(g) >> 11) * 0x1p-53;
}

// ---- SeedSequence ----

static uint32_t hash_mix(uint32_t v, uint32_t *constant, uint32_t multiplier) {
  v ^= *constant;
  *constant *= multiplier;
  v *= *constant;
  return v ^ v >> 16;
}

static uint32_t mix(uint32_t x, uint32_t y) {
  uint32_t r = 0xca01f9ddu * x - 0x4973f715u * y;
  return r ^ r >> 16;
}

static void seed(struct generator *g, uint64_t value) {
  uint32_t pool[4] = {(uint32_t)value, (uint32_t)(value >> 32), 0, 0};
  uint32_t constant = 0x43b0d7e5u;
  for (int i = 0; i < 4; i++)
    pool[i] = hash_mix(pool[i], &constant, 0x931e8875u);
  for (int from = 0; from < 4; from++)
    for (int to = 0; to < 4; to++)
      if (from != to)
        pool[to] = mix(pool[to], hash_mix(pool[from], &constant, 0x931e8875u));
  uint64_t words[4] = {0};
  constant = 0x8b51f9ddu;
  for (int i = 0; i < 8; i++) {
    uint64_t v = hash_mix(pool[i % 4], &constant, 0x58f38dedu);
    words[i / 2] |= v << (i % 2 * 32);
  }
  memset(g, 0, sizeof *g);
  g->increment = ((u128)words[2] << 64 | words[3]) << 1 | 1;
  step(g);
  g->state += (u128)words[0] << 64 | words[1];
  step(g);
}

// ---- Distributions ----

// Lemire's method: no modulo bias. `range` is the largest value.
static uint64_t bounded(struct generator *g, uint64_t range) {
  if (range == 0)
    return 0;
  if (range == UINT32_MAX)
    return next32(g);
  if (range == UINT64_MAX)
    return next64(g);
  if (range < UINT32_MAX) {
    uint32_t n = (uint32_t)range + 1;
    uint64_t m = (uint64_t)next32(g) * n;
    uint32_t floor_ = (uint32_t)(-n) % n;
    while ((uint32_t)m < floor_)
      m = (uint64_t)next32(g) * n;
    return m >> 32;
  }
  uint64_t n = range + 1;
  u128 m = (u128)next64(g) * n;
  uint64_t floor_ = (0 - n) % n;
  while ((uint64_t)m < floor_)
    m = (u128)next64(g) * n;
  return (uint64_t)(m >> 64);
}

// The natural logarithm of 0 < x < 1: x = m 2^e, and the series of
// 2 atanh((m - 1) / (m + 1)).
static double plain_log(double x) {
  int e;
  double m = frexp(x, &e);
  if (m < 0.70710678118654752) {
    m *= 2;
    e--;
  }
  double s = (m - 1) / (m + 1), s2 = s * s, sum = 0;
  for (int k = 25; k >= 1; k -= 2)
    sum = sum * s2 + 1.0 / k;
  return 2 * s * sum + e * 0.69314718055994531;
}

static double next_normal(struct generator *g) {
  if (g->has_spare) {
    g->has_spare = false;
    return g->spare;
  }
  double x, y, r;
  do {
    x = 2 * next_unit(g) - 1;
    y = 2 * next_unit(g) - 1;
    r = x * x + y * y;
  } while (r >= 1 || r == 0);
  double f = sqrt(-2 * plain_log(r) / r);
  g->spare = y * f;
  g->has_spare = true;
  return x * f;
}

// ---- Lua ----

static struct generator *check_generator(lua_State *L) {
  struct generator *g = luaL_testudata(L, 1, GENERATOR_TYPE);
  if (!g)
    bind_error(L, ERR_ARGUMENT,
               "the first argument is no generator: write rng:random(n) with "
               "rng = np.random.default_rng(seed)");
  return g;
}

struct draw {
  char kind; // 'u' uniform, 'n' normal, 'i' integers
  double a, b;
  int64_t low;
  uint64_t range;
};

static void draw_one(struct generator *g, const struct draw *d, enum dtype t,
                     char *p) {
  if (d->kind == 'i') {
    int64_t v = (int64_t)((uint64_t)d->low + bounded(g, d->range));
    kernel_cast(t, DTYPE_I64)(p, 0, (char *)&v, 0, 1);
    return;
  }
  double v = d->kind == 'u' ? d->a + d->b * next_unit(g)
                            : d->a + d->b * next_normal(g);
  kernel_cast(t, DTYPE_F64)(p, 0, (char *)&v, 0, 1);
}

// Size at index `i` (none: one number), dtype behind it.
static int push_draws(lua_State *L, struct generator *g, const struct draw *d,
                      int i, enum dtype t) {
  int64_t shape[ARRAY_MAX_DIMS];
  bool one = lua_isnoneornil(L, i);
  int ndim = one ? 0 : array_check_shape(L, i, "np.random", shape);
  t = array_check_dtype(L, i + 1, t);
  if ((dtype_kind(t) == 'f') != (d->kind != 'i'))
    bind_error(L, ERR_ARGUMENT, "np.random: these numbers are no %s",
               dtype_name(t));
  struct array *a = array_push_host(L, t, ndim, shape);
  char *p = array_data(a);
  for (int64_t k = 0, n = array_count(a); k < n; k++, p += dtype_bytes(t))
    draw_one(g, d, t, p);
  if (one)
    array_push_element(L, t, array_data(a));
  return 1;
}

// rng:random([size [, dtype]]); f32 uses 24 bits of half a draw, as NumPy.
static int g_random(lua_State *L) {
  struct generator *g = check_generator(L);
  struct draw d = {'u', 0, 1, 0, 0};
  enum dtype t = array_check_dtype(L, 3, DTYPE_F64);
  if (t != DTYPE_F32 || lua_isnoneornil(L, 2))
    return push_draws(L, g, &d, 2, DTYPE_F64);
  int64_t shape[ARRAY_MAX_DIMS];
  int ndim = array_check_shape(L, 2, "rng:random", shape);
  struct array *a = array_push_host(L, t, ndim, shape);
  float *p = array_data(a);
  for (int64_t k = 0, n = array_count(a); k < n; k++)
    p[k] = (float)(next32(g) >> 8) * 0x1p-24f;
  return 1;
}

static int g_uniform(lua_State *L) {
  struct generator *g = check_generator(L);
  double low = luaL_optnumber(L, 2, 0), high = luaL_optnumber(L, 3, 1);
  struct draw d = {'u', low, high - low, 0, 0};
  return push_draws(L, g, &d, 4, DTYPE_F64);
}

static int g_normal(lua_State *L) {
  struct generator *g = check_generator(L);
  struct draw d = {'n', luaL_optnumber(L, 2, 0), luaL_optnumber(L, 3, 1), 0, 0};
  if (d.b < 0)
    bind_error(L, ERR_ARGUMENT, "rng:normal: the scale %g is negative", d.b);
  return push_draws(L, g, &d, 4, DTYPE_F64);
}

static int g_standard_normal(lua_State *L) {
  struct generator *g = check_generator(L);
  struct draw d = {'n', 0, 1, 0, 0};
  return push_draws(L, g, &d, 2, DTYPE_F64);
}

// rng:integers(high) or rng:integers(low, high [, size [, dtype]])
static int g_integers(lua_State *L) {
  struct generator *g = check_generator(L);
  int64_t low = 0, high = luaL_checkinteger(L, 2);
  if (!lua_isnoneornil(L, 3)) {
    low = high;
    high = luaL_checkinteger(L, 3);
  }
  if (low >= high)
    bind_error(L, ERR_ARGUMENT, "rng:integers: no integer lies in [%lld, %lld)",
               (long long)low, (long long)high);
  struct draw d = {'i', 0, 0, low, (uint64_t)high - (uint64_t)low - 1};
  return push_draws(L, g, &d, 4, DTYPE_I64);
}

static int l_default_rng(lua_State *L) {
  lua_Integer value = luaL_optinteger(L, 1, 0);
  if (value < 0)
    bind_error(L, ERR_ARGUMENT,
               "np.random.default_rng: a seed is not "
               "negative");
  struct generator *g = lua_newuserdatauv(L, sizeof *g, 0);
  seed(g, (uint64_t)value);
  luaL_setmetatable(L, GENERATOR_TYPE);
  return 1;
}

void np_open_random(lua_State *L) {
  static const luaL_Reg methods[] = {
      {"random", g_random},     {"uniform", g_uniform},
      {"normal", g_normal},     {"standard_normal", g_standard_normal},
      {"integers", g_integers}, {NULL, NULL},
  };
  if (luaL_newmetatable(L, GENERATOR_TYPE)) {
    lua_newtable(L);
    luaL_setfuncs(L, methods, 0);
    lua_setfield(L, -2, "__index");
  }
  lua_pop(L, 1);
  lua_newtable(L);
  lua_pushcfunction(L, l_default_rng);
  lua_setfield(L, -2, "default_rng");
  lua_setfield(L, -2, "random");
}
