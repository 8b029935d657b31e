// SPDX-License-Identifier: Apache-2.0
// :time beside the roof: per cent of what this GPU can do at most, or that a
// time cannot be.
#include "repl/command/time.h"

void time_add_us(double us, struct str *out) {
  const char *unit = us < 1e3 ? "us" : us < 1e6 ? "ms" : "s";
  double v = us < 1e3 ? us : us < 1e6 ? us / 1e3 : us / 1e6;
  str_addf(out, v < 100 ? "%.1f %s" : "%.0f %s", v, unit);
}

static void add_bytes(double bytes, struct str *out) {
  if (bytes < 1e6)
    str_addf(out, "%.3g KB", bytes / 1e3);
  else
    str_addf(out, bytes < 1e9 ? "%.3g MB" : "%.0f MB", bytes / 1e6);
}

// "12 MB at 4915 GB/s take 2.4 us at least".
static void add_floor(const struct gpu_roof_device *d,
                      const struct gpu_roof_work *w, const struct gpu_roof *r,
                      struct str *out) {
  if (r->by_operations) {
    str_addf(out, "%.3g operations at %.0f GFLOP/s", w->operations,
             d->operations_per_us / 1e3);
  } else {
    add_bytes(w->bytes, out);
    str_addf(out, " at %.0f GB/s", d->bytes_per_us / 1e3);
  }
  str_add(out, " take ");
  time_add_us(r->roof_us, out);
  str_add(out, " at least");
}

static void add_unknown(const struct gpu_roof_device *d, struct str *out) {
  str_add(out,
          d->bytes_per_us > 0
              ? "no roof: the launch has no arrays"
              : "no roof: the driver does not tell how fast its memory is");
}

void time_add_roof(const struct gpu_roof_device *d,
                   const struct gpu_roof_work *w, double us, struct str *out) {
  struct gpu_roof r;
  gpu_roof_judge(d, w, us, &r);
  str_add_char(out, '\n');
  switch (r.kind) {
  case GPU_ROOF_UNKNOWN: add_unknown(d, out); return;
  case GPU_ROOF_SHARE: str_addf(out, "%.0f %% of the roof: ", r.percent); break;
  case GPU_ROOF_CACHED: str_add(out, "above the memory's roof: "); break;
  case GPU_ROOF_CANNOT: str_add(out, "cannot be: "); break;
  case GPU_ROOF_PART: str_add(out, "part of its arrays: all "); break;
  }
  add_floor(d, w, &r, out);
  if (r.kind == GPU_ROOF_SHARE && w->is_assumed)
    str_add(out, ", if it reads or writes each array once (both: twice the "
                 "bytes)");
  if (r.kind == GPU_ROOF_CACHED) {
    str_add(out, ", and the L2 cache of ");
    add_bytes(d->cache_bytes, out);
    str_add(out, " held some of it from the run before; --cold clears it");
  } else if (r.kind == GPU_ROOF_CANNOT) {
    str_add(out, ". Likely the launch left part of its arrays alone: too few "
                 "threads for so many elements, or a return too early");
  } else if (r.kind == GPU_ROOF_PART) {
    str_add(out, ", and so it left some of them alone");
  }
}
