// SPDX-License-Identifier: Apache-2.0
// Complex numbers as pairs, which FFTW computes with, and as two arrays, which
// np has.
#include "kernels/kernels.h"

void kernel_pairs_join(double *restrict z, const double *re, const double *im,
                       int64_t n) {
  for (int64_t i = 0; i < n; i++) {
    z[2 * i] = re[i];
    z[2 * i + 1] = im[i];
  }
}

void kernel_pairs_split(double *restrict re, double *restrict im,
                        const double *z, int64_t n) {
  for (int64_t i = 0; i < n; i++) {
    re[i] = z[2 * i];
    im[i] = z[2 * i + 1];
  }
}

void kernel_pairs_mirror(double *restrict re, double *restrict im,
                         const double *z, int64_t n) {
  kernel_pairs_split(re, im, z, n / 2 + 1);
  for (int64_t i = n / 2 + 1; i < n; i++) {
    re[i] = z[2 * (n - i)];
    im[i] = -z[2 * (n - i) + 1];
  }
}
