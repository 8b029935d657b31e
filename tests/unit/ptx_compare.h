// SPDX-License-Identifier: Apache-2.0
// Does a device give what a file of tests/ptx wants?
#ifndef TESTS_UNIT_PTX_COMPARE_H
#define TESTS_UNIT_PTX_COMPARE_H

#include "tests/unit/ptx_case.h"

static double ptx_float(uint64_t bits, int kind) {
  float f;
  double d;
  uint32_t low = kind == 17 ? (uint32_t)bits << 16 : (uint32_t)bits;
  if (kind == 64) {
    memcpy(&d, &bits, sizeof d);
    return d;
  }
  if (kind == 16) {
    int e = bits >> 10 & 31, m = bits & 1023;
    d = e == 31 ? (m ? (double)NAN : (double)INFINITY)
        : e     ? ldexp(1024 + m, e - 25)
                : ldexp(m, -24);
    return bits & 0x8000 ? -d : d;
  }
  memcpy(&f, &low, sizeof f);
  return (double)f;
}

static bool ptx_near(double got, double want, double relative,
                     double absolute) {
  if (!isfinite(want))
    return isnan(want) ? isnan(got) : got == want;
  double room = relative * fabs(want);
  return fabs(got - want) <= (room > absolute ? room : absolute);
}

// Output n of the file, counted over all cases.
static enum ptx_verdict ptx_case_compare(const struct ptx_case *c, int n,
                                         uint64_t got) {
  int kind = c->within[n % c->outputs].bits;
  double relative = c->within[n % c->outputs].relative;
  double absolute = c->within[n % c->outputs].absolute;
  if (c->nan[n])
    return isnan(ptx_float(got, c->nan[n])) ? PTX_SAME : PTX_DIFFERS;
  if (got == c->want[n])
    return PTX_SAME;
  if (!kind || (kind < 64 && got >> 32))
    return PTX_DIFFERS;
  if (kind == 33 || kind == 34) { // both halves
    bool near = true;
    for (int shift = 0; shift < 32; shift += 16)
      near &= ptx_near(
          ptx_float(got >> shift & 0xFFFF, kind == 33 ? 16 : 17),
          ptx_float(c->want[n] >> shift & 0xFFFF, kind == 33 ? 16 : 17),
          relative, absolute);
    return near ? PTX_WITHIN : PTX_DIFFERS;
  }
  return ptx_near(ptx_float(got, kind), ptx_float(c->want[n], kind), relative,
                  absolute)
             ? PTX_WITHIN
             : PTX_DIFFERS;
}

#endif
