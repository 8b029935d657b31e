// SPDX-License-Identifier: Apache-2.0
// PCG64 (O'Neill, "PCG: A Family of Simple Fast Space-Efficient Statistically
// Good Algorithms", XSL-RR 128/64), seeded through NumPy's SeedSequence, and
// the distributions in NumPy's order of draws. MT19937 (Matsumoto and Nishimura,
// "Mersenne Twister", 1998) for what NumPy calls RandomState: whole numbers by
// leaving out what is too large, normal and exponential numbers by formulas in
// place of the ziggurat.
#include "lua/bind/np/np_draw.h"

#include <math.h>
#include <string.h>

typedef unsigned __int128 u128;

// ---- PCG64 ----

static void step(struct generator *g) {
  const u128 multiplier =
      (u128)2549297995355413924u << 64 | 4865540595714422341u;
  g->state = g->state * multiplier + g->increment;
}

// ---- MT19937 ----

static uint32_t twist(uint32_t high, uint32_t low, uint32_t far) {
  uint32_t y = (high & 0x80000000u) | (low & 0x7fffffffu);
  return far ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
}

static void next_words(struct generator *g) {
  uint32_t *w = g->words;
  for (int i = 0; i < MT19937_WORDS; i++)
    w[i] =
        twist(w[i], w[(i + 1) % MT19937_WORDS], w[(i + 397) % MT19937_WORDS]);
  g->next_word = 0;
}

static uint32_t draw_word(struct generator *g) {
  if (g->next_word == MT19937_WORDS)
    next_words(g);
  uint32_t y = g->words[g->next_word++];
  y ^= y >> 11;
  y ^= y << 7 & 0x9d2c5680u;
  y ^= y << 15 & 0xefc60000u;
  return y ^ y >> 18;
}

void draw_seed_old(struct generator *g, uint32_t value) {
  memset(g, 0, sizeof *g);
  g->is_old = true;
  g->next_word = MT19937_WORDS;
  for (uint32_t i = 0; i < MT19937_WORDS; i++) {
    g->words[i] = value;
    value = 1812433253u * (value ^ value >> 30) + i + 1;
  }
}

// ---- Bits of either ----

uint64_t draw_64(struct generator *g) {
  if (g->is_old) {
    uint64_t high = draw_word(g);
    return high << 32 | draw_word(g);
  }
  step(g);
  uint64_t v = (uint64_t)(g->state >> 64) ^ (uint64_t)g->state;
  unsigned turn = (unsigned)(g->state >> 122);
  return v >> turn | v << (-turn & 63);
}

uint32_t draw_32(struct generator *g) {
  if (g->is_old)
    return draw_word(g);
  if (g->has_half) {
    g->has_half = false;
    return g->half;
  }
  uint64_t v = draw_64(g);
  g->has_half = true;
  g->half = (uint32_t)(v >> 32);
  return (uint32_t)v;
}

double draw_unit(struct generator *g) {
  if (g->is_old) {
    double high = draw_word(g) >> 5;
    return (high * 0x1p26 + (draw_word(g) >> 6)) * 0x1p-53;
  }
  return (double)(draw_64(g) >> 11) * 0x1p-53;
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

void draw_seed(struct generator *g, uint64_t value) {
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

// ---- Whole numbers ----

// By leaving out what is too large among as many bits as `range` has.
static uint64_t draw_masked(struct generator *g, uint64_t range) {
  uint64_t mask = range, v;
  for (int shift = 1; shift < 64; shift *= 2)
    mask |= mask >> shift;
  do
    v = (range <= UINT32_MAX ? draw_32(g) : draw_64(g)) & mask;
  while (v > range);
  return v;
}

// Lemire's method ("Fast Random Integer Generation in an Interval", 2019): no
// modulo bias.
uint64_t draw_bounded(struct generator *g, uint64_t range) {
  if (range == 0)
    return 0;
  if (range == UINT32_MAX)
    return draw_32(g);
  if (range == UINT64_MAX)
    return draw_64(g);
  if (g->is_old)
    return draw_masked(g, range);
  if (range < UINT32_MAX) {
    uint32_t n = (uint32_t)range + 1;
    uint64_t m = (uint64_t)draw_32(g) * n;
    uint32_t least = (uint32_t)(-n) % n;
    while ((uint32_t)m < least)
      m = (uint64_t)draw_32(g) * n;
    return m >> 32;
  }
  uint64_t n = range + 1;
  u128 m = (u128)draw_64(g) * n;
  uint64_t least = (0 - n) % n;
  while ((uint64_t)m < least)
    m = (u128)draw_64(g) * n;
  return (uint64_t)(m >> 64);
}

// The next `bits` of a word that serves several draws, with what is above them.
static uint32_t next_narrow(struct generator *g, int bits, uint32_t *buffer,
                            int *left) {
  if (*left == 0) {
    *buffer = draw_32(g);
    *left = 32 / bits;
  } else {
    *buffer >>= bits;
  }
  --*left;
  return *buffer;
}

uint32_t draw_narrow(struct generator *g, int bits, uint32_t range,
                     uint32_t *buffer, int *left) {
  uint32_t all = (1u << bits) - 1, v, m;
  if (range == 0)
    return 0;
  if (g->is_old) { // again until it is in range
    uint32_t mask = ~0u >> __builtin_clz(range);
    do
      v = next_narrow(g, bits, buffer, left) & mask;
    while (v > range);
    return v;
  }
  do // as in draw_bounded
    m = (next_narrow(g, bits, buffer, left) & all) * (range + 1);
  while ((m & all) < (all - range) % (range + 1));
  return m >> bits;
}

void draw_shuffle(struct generator *g, int64_t *at, int64_t n, int64_t first,
                  bool is_masked) {
  for (int64_t i = n - 1; i >= first; i--) {
    uint64_t r = (uint64_t)i;
    int64_t j = (int64_t)(is_masked ? draw_masked(g, r) : draw_bounded(g, r));
    int64_t t = at[j];
    at[j] = at[i];
    at[i] = t;
  }
}

// ---- The ziggurat ----

// Marsaglia and Tsang, "The Ziggurat Method for Generating Random Variables",
// 2000: 256 layers of equal area under the density. A layer's number is kept
// at once where it lies under the layer above.
struct ziggurat {
  uint64_t keep[256]; // below it, a draw is kept
  double width[256];
  double height[256];
};

static const long double NORMAL_END = 3.6541528853610087963519472518L;
static const long double EXPONENTIAL_END = 7.6971174701310497140446280481L;
struct draw_tables {
  struct ziggurat normal, exponential;
};
const size_t draw_tables_bytes = sizeof(struct draw_tables);

static long double density(long double x, bool is_normal) {
  return is_normal ? expl(-0.5L * x * x) : expl(-x);
}

// `scale`: how many steps the widest layer has.
static void make(struct ziggurat *z, bool is_normal, long double scale) {
  const long double end = is_normal ? NORMAL_END : EXPONENTIAL_END;
  long double foot = density(end, is_normal);
  // The lowest layer holds the tail as well.
  long double tail =
      is_normal ? sqrtl(acosl(-1) / 2) * erfcl(end / sqrtl(2)) : foot;
  long double area = end * foot + tail, x = end, above = end;
  z->keep[0] = (uint64_t)(end / (area / foot) * scale);
  z->keep[1] = 0;
  z->width[0] = (double)(area / foot / scale);
  z->width[255] = (double)(end / scale);
  z->height[0] = 1;
  z->height[255] = (double)foot;
  for (int i = 254; i >= 1; i--) {
    long double y = area / x + density(x, is_normal);
    x = is_normal ? sqrtl(-2 * logl(y)) : -logl(y);
    z->keep[i + 1] = (uint64_t)(x / above * scale);
    above = x;
    z->height[i] = (double)density(x, is_normal);
    z->width[i] = (double)(x / scale);
  }
}

void draw_make_tables(struct draw_tables *t) {
  make(&t->normal, true, 0x1p52L);
  make(&t->exponential, false, 0x1p53L);
}

// A height between those of layer `i` and the one above it.
static double draw_height(struct generator *g, const struct ziggurat *z,
                          int i) {
  return (z->height[i - 1] - z->height[i]) * draw_unit(g) + z->height[i];
}

static double draw_tail(struct generator *g, bool is_negative) {
  const double end = (double)NORMAL_END, inverse = 1 / end;
  for (;;) {
    double x = -inverse * log1p(-draw_unit(g)), y = -log1p(-draw_unit(g));
    if (y + y > x * x)
      return is_negative ? -(end + x) : end + x;
  }
}

// Marsaglia's polar method: two at a time.
static double draw_pair(struct generator *g) {
  double x, y, r;
  g->has_normal = !g->has_normal;
  if (!g->has_normal)
    return g->next_normal;
  do {
    x = 2 * draw_unit(g) - 1;
    y = 2 * draw_unit(g) - 1;
    r = x * x + y * y;
  } while (r >= 1 || r == 0);
  double f = sqrt(-2 * log(r) / r);
  g->next_normal = f * x;
  return f * y;
}

static double draw_normal(struct generator *g) {
  if (g->is_old)
    return draw_pair(g);
  const struct ziggurat *z = &g->tables->normal;
  for (;;) {
    uint64_t r = draw_64(g);
    int i = r & 255;
    uint64_t part = r >> 9 & 0xfffffffffffff;
    double x = (double)part * z->width[i];
    if (r >> 8 & 1)
      x = -x;
    if (part < z->keep[i])
      return x;
    if (i == 0)
      return draw_tail(g, part >> 8 & 1);
    if (draw_height(g, z, i) < exp(-0.5 * x * x))
      return x;
  }
}

static double draw_exponential(struct generator *g) {
  if (g->is_old)
    return -log1p(-draw_unit(g));
  const struct ziggurat *z = &g->tables->exponential;
  for (;;) {
    uint64_t r = draw_64(g) >> 3;
    int i = r & 255;
    uint64_t part = r >> 8;
    double x = (double)part * z->width[i];
    if (part < z->keep[i])
      return x;
    if (i == 0)
      return (double)EXPONENTIAL_END - log1p(-draw_unit(g));
    if (draw_height(g, z, i) < exp(-x))
      return x;
  }
}

// ---- Gamma and what rests on it ----

// Marsaglia and Tsang, "A Simple Method for Generating Gamma Variables", 2000;
// below 1 Ahrens and Dieter's.
static double draw_gamma(struct generator *g, double shape) {
  if (shape == 1)
    return draw_exponential(g);
  if (shape == 0)
    return 0;
  if (shape < 1)
    for (;;) {
      double u = draw_unit(g), v = draw_exponential(g);
      if (u <= 1 - shape) {
        double x = pow(u, 1 / shape);
        if (x <= v)
          return x;
      } else {
        double y = -log((1 - u) / shape);
        double x = pow(1 - shape + shape * y, 1 / shape);
        if (x <= v + y)
          return x;
      }
    }
  double b = shape - 1.0 / 3, c = 1 / sqrt(9 * b);
  for (;;) {
    double x, v;
    do {
      x = draw_normal(g);
      v = 1 + c * x;
    } while (v <= 0);
    v = v * v * v;
    double u = draw_unit(g);
    if (u < 1 - 0.0331 * (x * x) * (x * x) ||
        log(u) < 0.5 * x * x + b * (1 - v + log(v)))
      return b * v;
  }
}

// Johnk's method where both are at most 1, else by gamma numbers.
static double draw_beta(struct generator *g, double a, double b) {
  if (a > 1 || b > 1) {
    double x = draw_gamma(g, a), y = draw_gamma(g, b);
    return x / (x + y);
  }
  for (;;) {
    double u = draw_unit(g), v = draw_unit(g);
    double x = pow(u, 1 / a), y = pow(v, 1 / b);
    if (x + y > 1 || u + v <= 0)
      continue;
    if (x + y > 0)
      return x / (x + y);
    double p = log(u) / a, q = log(v) / b, top = p > q ? p : q;
    p -= top;
    q -= top;
    return exp(p - log(exp(p) + exp(q)));
  }
}

// ---- Counts ----

// Hoermann, "The transformed rejection method for generating Poisson random
// variables", 1993; for small means products of uniform numbers.
static double draw_poisson(struct generator *g, double mean) {
  if (mean == 0)
    return 0;
  if (mean < 10) {
    double least = exp(-mean), product = draw_unit(g), k = 0;
    for (; product > least; k++)
      product *= draw_unit(g);
    return k;
  }
  double root = sqrt(mean), b = 0.931 + 2.53 * root;
  double a = -0.059 + 0.02483 * b, alpha = 1.1239 + 1.1328 / (b - 3.4);
  double surely = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    double u = draw_unit(g) - 0.5, v = draw_unit(g), s = 0.5 - fabs(u);
    double k = floor((2 * a / s + b) * u + mean + 0.43);
    if (s >= 0.07 && v <= surely)
      return k;
    if (k < 0 || (s < 0.013 && v > s))
      continue;
    if (log(v) + log(alpha) - log(a / (s * s) + b) <=
        -mean + k * log(mean) - lgamma(k + 1))
      return k;
  }
}

static double draw_geometric(struct generator *g, double p) {
  if (p < 1.0 / 3)
    return ceil(-draw_exponential(g) / log1p(-p));
  double sum = p, term = p, u = draw_unit(g), k = 1;
  while (u > sum) {
    term *= 1 - p;
    sum += term;
    k++;
  }
  return k;
}

// Successes below a chance of one half, by walking the probabilities up from
// none; far behind the mean it begins anew.
static double walk_binomial(struct generator *g, double n, double p) {
  double q = 1 - p, none = exp(n * log(q)), mean = n * p;
  double most = floor(fmin(n, mean + 10 * sqrt(mean * q + 1)));
  for (;;) {
    double u = draw_unit(g), chance = none;
    for (double k = 0; k <= most; k++) {
      if (k > 0)
        chance = (n - k + 1) * p * chance / (k * q);
      if (u <= chance)
        return k;
      u -= chance;
    }
  }
}

// What Kachitvichyanukul and Schmeiser, "Binomial Random Variate Generation",
// 1988, draw from: a triangle at the mode, parallelograms beside it and
// exponential tails, whose areas add up to `all`.
struct btpe {
  double n, p, q, mode, spread, middle, left, right, c, fall_left, fall_right;
  double parallel, left_tail, all;
};

static double tail_of(double a) {
  return a * (1 + a / 2);
}

static struct btpe btpe_of(double n, double p) {
  struct btpe b = {.n = n, .p = p, .q = 1 - p};
  double peak = n * p + p;
  b.mode = floor(peak);
  b.spread = floor(2.195 * sqrt(n * p * b.q) - 4.6 * b.q) + 0.5;
  b.middle = b.mode + 0.5;
  b.left = b.middle - b.spread;
  b.right = b.middle + b.spread;
  b.c = 0.134 + 20.5 / (15.3 + b.mode);
  b.fall_left = tail_of((peak - b.left) / (peak - b.left * p));
  b.fall_right = tail_of((b.right - peak) / (b.right * b.q));
  b.parallel = b.spread * (1 + 2 * b.c);
  b.left_tail = b.parallel + b.c / b.fall_left;
  b.all = b.left_tail + b.c / b.fall_right;
  return b;
}

// The rest of Stirling's series, times 166320.
static double stirling_rest(double x) {
  double s = x * x;
  return (13680. - (462. - (132. - (99. - 140. / s) / s) / s) / s) / x;
}

// Is `v` below the chance of y, as a part of the mode's?
static bool is_under(const struct btpe *b, double y, double v) {
  double k = fabs(y - b->mode), variance = b->n * b->p * b->q;
  if (k <= 20 || k >= variance / 2 - 1) { // from the mode, step by step
    double s = b->p / b->q, a = s * (b->n + 1), chance = 1;
    for (double i = b->mode + 1; i <= y; i++)
      chance *= a / i - s;
    for (double i = y + 1; i <= b->mode; i++)
      chance /= a / i - s;
    return v <= chance;
  }
  double slack = k / variance *
                 ((k * (k / 3 + 0.625) + 0.16666666666666666) / variance + 0.5);
  double near = -k * k / (2 * variance), height = log(v);
  if (height < near - slack)
    return true;
  if (height > near + slack)
    return false;
  double x = y + 1, f = b->mode + 1, z = b->n + 1 - b->mode, w = b->n - y + 1;
  double exact = b->middle * log(f / x) + (b->n - b->mode + 0.5) * log(z / w) +
                 (y - b->mode) * log(w * b->p / (x * b->q)) +
                 stirling_rest(f) / 166320 + stirling_rest(z) / 166320 +
                 stirling_rest(x) / 166320 + stirling_rest(w) / 166320;
  return height <= exact;
}

static double reject_binomial(struct generator *g, double n, double p) {
  struct btpe b = btpe_of(n, p);
  for (;;) {
    double u = draw_unit(g) * b.all, v = draw_unit(g), y;
    if (u <= b.spread)
      return floor(b.middle - b.spread * v + u);
    if (u <= b.parallel) {
      double x = b.left + (u - b.spread) / b.c;
      v = v * b.c + 1 - fabs(b.mode - x + 0.5) / b.spread;
      if (v > 1)
        continue;
      y = floor(x);
    } else if (u <= b.left_tail) {
      y = floor(b.left + log(v) / b.fall_left);
      if (y < 0 || v == 0)
        continue;
      v *= (u - b.parallel) * b.fall_left;
    } else {
      y = floor(b.right - log(v) / b.fall_right);
      if (y > n || v == 0)
        continue;
      v *= (u - b.left_tail) * b.fall_right;
    }
    if (is_under(&b, y, v))
      return y;
  }
}

static double draw_binomial(struct generator *g, double n, double p) {
  double less = p <= 0.5 ? p : 1 - p;
  if (!g->is_old && (n == 0 || p == 0))
    return 0; // nothing is drawn
  double k =
      less * n <= 30 ? walk_binomial(g, n, less) : reject_binomial(g, n, less);
  return p <= 0.5 ? k : n - k;
}

// ---- The rows ----

#define DRAW(name, value)                                                      \
  static double r_##name(struct generator *g, const double *p) {               \
    (void)p;                                                                   \
    return (value);                                                            \
  }
DRAW(uniform, p[0] + (p[1] - p[0]) * draw_unit(g))
DRAW(normal, p[0] + p[1] * draw_normal(g))
DRAW(standard_normal, draw_normal(g))
DRAW(lognormal, exp(p[0] + p[1] * draw_normal(g)))
DRAW(exponential, p[0] * draw_exponential(g))
DRAW(gamma, p[1] * draw_gamma(g, p[0]))
DRAW(beta, draw_beta(g, p[0], p[1]))
DRAW(chisquare, 2 * draw_gamma(g, p[0] / 2))
DRAW(rayleigh, p[0] * sqrt(2 * draw_exponential(g)))
DRAW(weibull, pow(draw_exponential(g), 1 / p[0]))
DRAW(pareto, expm1(draw_exponential(g) / p[0]))
DRAW(power, pow(-expm1(-draw_exponential(g)), 1 / p[0]))
DRAW(poisson, draw_poisson(g, p[0]))
DRAW(binomial, draw_binomial(g, floor(p[0]), p[1]))
DRAW(geometric, draw_geometric(g, p[0]))

static double r_standard_cauchy(struct generator *g, const double *p) {
  (void)p;
  double x = draw_normal(g);
  return x / draw_normal(g);
}

static double r_standard_t(struct generator *g, const double *p) {
  double x = draw_normal(g);
  return sqrt(p[0] / 2) * x / sqrt(draw_gamma(g, p[0] / 2));
}

static double r_laplace(struct generator *g, const double *p) {
  for (;;) {
    double u = draw_unit(g);
    if (u >= 0.5)
      return p[0] - p[1] * log(2 - u - u);
    if (u > 0)
      return p[0] + p[1] * log(u + u);
  }
}

static double r_logistic(struct generator *g, const double *p) {
  double u;
  do
    u = draw_unit(g);
  while (u <= 0);
  return p[0] + p[1] * log(u / (1 - u));
}

static double r_gumbel(struct generator *g, const double *p) {
  double u;
  do
    u = 1 - draw_unit(g);
  while (u >= 1);
  return p[0] - p[1] * log(-log(u));
}

static double r_triangular(struct generator *g, const double *p) {
  double base = p[2] - p[0], left = p[1] - p[0], u = draw_unit(g);
  if (u <= left / base)
    return p[0] + sqrt(u * (left * base));
  return p[2] - sqrt((1 - u) * ((p[2] - p[1]) * base));
}

// name, function, whole?, parameters with their defaults and rules
const struct draw_row draw_rows[] = {
    {"uniform", r_uniform, false, 2, {"low", "high"}, {0, 1}, "  "},
    {"normal", r_normal, false, 2, {"loc", "scale"}, {0, 1}, " 0"},
    {"standard_normal", r_standard_normal, false, 0, {0}, {0}, ""},
    {"lognormal", r_lognormal, false, 2, {"mean", "sigma"}, {0, 1}, " 0"},
    {"exponential", r_exponential, false, 1, {"scale"}, {1}, "0"},
    {"gamma", r_gamma, false, 2, {"shape", "scale"}, {NAN, 1}, "00"},
    {"beta", r_beta, false, 2, {"a", "b"}, {NAN, NAN}, "++"},
    {"chisquare", r_chisquare, false, 1, {"df"}, {NAN}, "+"},
    {"standard_t", r_standard_t, false, 1, {"df"}, {NAN}, "+"},
    {"standard_cauchy", r_standard_cauchy, false, 0, {0}, {0}, ""},
    {"laplace", r_laplace, false, 2, {"loc", "scale"}, {0, 1}, " 0"},
    {"logistic", r_logistic, false, 2, {"loc", "scale"}, {0, 1}, " 0"},
    {"gumbel", r_gumbel, false, 2, {"loc", "scale"}, {0, 1}, " 0"},
    {"rayleigh", r_rayleigh, false, 1, {"scale"}, {1}, "0"},
    {"weibull", r_weibull, false, 1, {"a"}, {NAN}, "+"},
    {"pareto", r_pareto, false, 1, {"a"}, {NAN}, "+"},
    {"power", r_power, false, 1, {"a"}, {NAN}, "+"},
    {"triangular",
     r_triangular,
     false,
     3,
     {"left", "mode", "right"},
     {NAN, NAN, NAN},
     "   "},
    {"poisson", r_poisson, true, 1, {"lam"}, {1}, "0"},
    {"binomial", r_binomial, true, 2, {"n", "p"}, {NAN, NAN}, "01"},
    {"geometric", r_geometric, true, 1, {"p"}, {NAN}, "p"},
};
const int draw_row_count = sizeof draw_rows / sizeof *draw_rows;
