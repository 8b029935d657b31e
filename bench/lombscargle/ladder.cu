// SPDX-License-Identifier: Apache-2.0
// The Lomb-Scargle periodogram, one kernel for each rung of the ladder that
// lessons 43 and 44 climb: all take the same arguments and give the same result, each
// sooner than the one before. ladder.lua runs and times them.
//
// x, y: n samples; freqs: m angular frequencies; pgram: their powers, scaled by
// 2 / yy (yy: the sum of the squares of y), so that a pure wave has 1.
#define SAMPLES(T)                                                             \
  const T *__restrict__ x, const T *__restrict__ y,                            \
      const T *__restrict__ freqs, T *__restrict__ pgram, int n, int m, T yy

constexpr int WIDTH = 128; // threads of a block
constexpr double PI = 3.141592653589793;

// How exactly a sine is asked for.
struct Careful {
  static __device__ void at(float a, float *s, float *c) {
    sincosf(a, s, c);
  }
  static __device__ void at(double a, double *s, double *c) {
    sincos(a, s, c);
  }
  // Of pi times a: nothing is lost by bringing it into one turn.
  static __device__ void at_pi(float a, float *s, float *c) {
    sincospif(a, s, c);
  }
  static __device__ void at_pi(double a, double *s, double *c) {
    sincospi(a, s, c);
  }
};
struct Quick {
  static __device__ void at(float a, float *s, float *c) {
    __sincosf(a, s, c);
  }
};

// The sums over all samples for one frequency.
template <typename T> struct Sums {
  T xc, xs; // of y cos, y sin
  T cc, ss, cs;
};

// The power of the best wave with that frequency. Its phase is chosen so that
// the wave's cosine and sine are independent; of that phase only the cosine c2
// and the sine s2 of the double are needed, which are at hand.
template <typename T> __device__ T power(const Sums<T> &a, T yy) {
  T apart = a.cc - a.ss, r = hypot(apart, a.cs + a.cs);
  T c2 = r > 0 ? apart / r : T(1), s2 = r > 0 ? (a.cs + a.cs) / r : T(0);
  T mean = T(0.5) * (a.xc * a.xc + a.xs * a.xs);
  T tilt = T(0.5) * c2 * (a.xc * a.xc - a.xs * a.xs) + s2 * a.xc * a.xs;
  T all = a.cc + a.ss;
  return T(2) * ((mean + tilt) / (all + r) + (mean - tilt) / (all - r)) / yy;
}

// ---- Rung 1: in doubles, whatever the arrays hold ----

template <typename T> __device__ void doubles(SAMPLES(T)) {
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < m; i += stride) {
    double freq = freqs[i];
    Sums<double> a = {};
    for (int j = 0; j < n; j++) {
      double c = cos(freq * x[j]), s = sin(freq * x[j]);
      a.xc += y[j] * c;
      a.xs += y[j] * s;
      a.cc += c * c;
      a.ss += s * s;
      a.cs += c * s;
    }
    pgram[i] = power<double>(a, yy);
  }
}

// ---- Rungs 2 to 4: in the arrays' own type ----

template <typename T, typename Sine> __device__ void own_type(SAMPLES(T)) {
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < m; i += stride) {
    T freq = freqs[i];
    Sums<T> a = {};
    for (int j = 0; j < n; j++) {
      T s, c;
      Sine::at(freq * x[j], &s, &c);
      a.xc += y[j] * c;
      a.xs += y[j] * s;
      a.cc += c * c;
      a.ss += s * s;
      a.cs += c * s;
    }
    pgram[i] = power(a, yy);
  }
}

// ---- Rung 5: several frequencies a thread ----

// Each sample is fetched once for SEVERAL frequencies, and the sum of s * s is
// n less that of c * c.
template <typename T, typename Sine> __device__ void several(SAMPLES(T)) {
  constexpr int SEVERAL = 4;
  __shared__ T sample[WIDTH][2];
  for (int first = blockIdx.x * SEVERAL * WIDTH; first < m;
       first += gridDim.x * SEVERAL * WIDTH) {
    Sums<T> a[SEVERAL] = {};
    T freq[SEVERAL];
    for (int k = 0; k < SEVERAL; k++) {
      int i = first + k * WIDTH + threadIdx.x;
      freq[k] = i < m ? freqs[i] : T(0);
    }
    for (int from = 0; from < n; from += WIDTH) {
      __syncthreads();
      if (from + threadIdx.x < n) {
        sample[threadIdx.x][0] = x[from + threadIdx.x];
        sample[threadIdx.x][1] = y[from + threadIdx.x];
      }
      __syncthreads();
      int count = min(WIDTH, n - from);
#pragma unroll 4
      for (int j = 0; j < count; j++) {
        T at = sample[j][0], value = sample[j][1];
        for (int k = 0; k < SEVERAL; k++) {
          T s, c;
          Sine::at(freq[k] * at, &s, &c);
          a[k].xc += value * c;
          a[k].xs += value * s;
          a[k].cc += c * c;
          a[k].cs += c * s;
        }
      }
    }
    for (int k = 0; k < SEVERAL; k++) {
      int i = first + k * WIDTH + threadIdx.x;
      a[k].ss = n - a[k].cc;
      if (i < m)
        pgram[i] = power(a[k], yy);
    }
  }
}

// ---- Rung 6: turned instead of computed ----

// For frequencies that are equally far apart. A thread has 2 PAIRS of them,
// WIDTH apart from each other, in pairs F + g and F - g around their middle F:
//   cos (F +- g) x = cos F x cos g x -+ sin F x sin g x, and so on.
// One sine and cosine, of F x, serve them all. Those of g x are the same for
// all threads: the block computes them once for each sample. In the place of
// cc, ss and cs it sums the cosine and sine of twice the angle, c2 and s2:
//   cc = (n + c2) / 2, ss = (n - c2) / 2, cs = s2 / 2.
template <typename T> struct alignas(4 * sizeof(T)) Turn {
  T c, s, c2, s2; // cosine and sine of g x and of 2 g x
};

// What one pair sums: products of (c, s) of F x with (c, s) of g x.
template <typename T> struct Products {
  T cc, ss, sc, cs;
  __device__ void add(T fc, T fs, T gc, T gs) {
    cc += fc * gc;
    ss += fs * gs;
    sc += fs * gc;
    cs += fc * gs;
  }
};

template <typename T>
__device__ T pair_power(const Products<T> &once, const Products<T> &twice,
                        T sign, int n, T yy) {
  T c2 = twice.cc - sign * twice.ss, s2 = twice.sc + sign * twice.cs;
  Sums<T> a = {once.cc - sign * once.ss, once.sc + sign * once.cs,
               T(0.5) * (n + c2), T(0.5) * (n - c2), T(0.5) * s2};
  return power(a, yy);
}

template <typename T, typename Sine> __device__ void turned(SAMPLES(T)) {
  constexpr int PAIRS = 4, CHUNK = WIDTH / PAIRS;
  __shared__ T sample[CHUNK][2];
  __shared__ Turn<T> turn[CHUNK][PAIRS];
  int t = threadIdx.x;
  double apart = m > 1 ? ((double)freqs[m - 1] - freqs[0]) / (m - 1) : 0;
  T by_pi = (t % PAIRS + 0.5) * WIDTH * apart / PI; // of the g it turns, g / pi
  for (int first = blockIdx.x * 2 * PAIRS * WIDTH; first < m;
       first += gridDim.x * 2 * PAIRS * WIDTH) {
    Products<T> once[PAIRS] = {}, twice[PAIRS] = {};
    T middle = freqs[0] + (first + t + (PAIRS - 0.5) * WIDTH) * apart;
    for (int from = 0; from < n; from += CHUNK) {
      __syncthreads();
      int own = from + t / PAIRS;
      if (own < n) {
        Turn<T> w;
        Careful::at_pi(by_pi * x[own], &w.s, &w.c);
        w.c2 = w.c * w.c - w.s * w.s;
        w.s2 = T(2) * w.s * w.c;
        turn[t / PAIRS][t % PAIRS] = w;
      }
      if (t < CHUNK && from + t < n) {
        sample[t][0] = x[from + t];
        sample[t][1] = y[from + t];
      }
      __syncthreads();
      int count = min(CHUNK, n - from);
#pragma unroll 2
      for (int j = 0; j < count; j++) {
        T s, c, value = sample[j][1];
        Sine::at(middle * sample[j][0], &s, &c);
        T c2 = (c + c) * c - T(1), s2 = (c + c) * s;
        T yc = value * c, ys = value * s;
        for (int k = 0; k < PAIRS; k++) {
          Turn<T> w = turn[j][k];
          once[k].add(yc, ys, w.c, w.s);
          twice[k].add(c2, s2, w.c2, w.s2);
        }
      }
    }
    for (int k = 0; k < PAIRS; k++) {
      int above = first + t + (PAIRS + k) * WIDTH;
      int below = first + t + (PAIRS - 1 - k) * WIDTH;
      if (above < m)
        pgram[above] = pair_power(once[k], twice[k], T(1), n, yy);
      if (below < m)
        pgram[below] = pair_power(once[k], twice[k], T(-1), n, yy);
    }
  }
}

// ---- The kernels, by rung and type ----

extern "C" __global__ void doubles_f32(const float *x, const float *y,
                                       const float *freqs, float *pgram, int n,
                                       int m, float yy) {
  doubles<float>(x, y, freqs, pgram, n, m, yy);
}
extern "C" __global__ void casts_f32(const float *x, const float *y,
                                     const float *freqs, float *pgram, int n,
                                     int m, float yy) {
  own_type<float, Careful>(x, y, freqs, pgram, n, m, yy);
}
extern "C" __global__ void quick_f32(const float *x, const float *y,
                                     const float *freqs, float *pgram, int n,
                                     int m, float yy) {
  own_type<float, Quick>(x, y, freqs, pgram, n, m, yy);
}
extern "C" __global__ void __launch_bounds__(WIDTH, 16)
    bounds_f32(const float *x, const float *y, const float *freqs, float *pgram,
               int n, int m, float yy) {
  own_type<float, Quick>(x, y, freqs, pgram, n, m, yy);
}
extern "C" __global__ void __launch_bounds__(WIDTH, 8)
    several_f32(const float *x, const float *y, const float *freqs,
                float *pgram, int n, int m, float yy) {
  several<float, Quick>(x, y, freqs, pgram, n, m, yy);
}
extern "C" __global__ void __launch_bounds__(WIDTH, 8)
    turned_f32(const float *x, const float *y, const float *freqs, float *pgram,
               int n, int m, float yy) {
  turned<float, Quick>(x, y, freqs, pgram, n, m, yy);
}
extern "C" __global__ void doubles_f64(const double *x, const double *y,
                                       const double *freqs, double *pgram,
                                       int n, int m, double yy) {
  doubles<double>(x, y, freqs, pgram, n, m, yy);
}
extern "C" __global__ void sincos_f64(const double *x, const double *y,
                                      const double *freqs, double *pgram, int n,
                                      int m, double yy) {
  own_type<double, Careful>(x, y, freqs, pgram, n, m, yy);
}
extern "C" __global__ void __launch_bounds__(WIDTH, 8)
    bounds_f64(const double *x, const double *y, const double *freqs,
               double *pgram, int n, int m, double yy) {
  own_type<double, Careful>(x, y, freqs, pgram, n, m, yy);
}
extern "C" __global__ void __launch_bounds__(WIDTH, 4)
    several_f64(const double *x, const double *y, const double *freqs,
                double *pgram, int n, int m, double yy) {
  several<double, Careful>(x, y, freqs, pgram, n, m, yy);
}
extern "C" __global__ void __launch_bounds__(WIDTH, 4)
    turned_f64(const double *x, const double *y, const double *freqs,
               double *pgram, int n, int m, double yy) {
  turned<double, Careful>(x, y, freqs, pgram, n, m, yy);
}
