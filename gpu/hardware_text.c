// SPDX-License-Identifier: Apache-2.0
// The hardware's counters in words.
#include "gpu/hardware_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gpu/hardware.h"

enum { NAME_WIDTH = 25, VALUE_WIDTH = 13, LONGEST_NSIGHT = 60 };

// By its unit: a time, bytes, a share or a ratio with a digit, else a whole number.
static void format(double n, int row, char *out, size_t size) {
  const struct gpu_hardware_metric *m = &gpu_hardware_metrics[row];
  bool is_bytes = !strcmp(m->unit, "bytes");
  if (isnan(n))
    snprintf(out, size, "-");
  else if (row == GPU_HARDWARE_DURATION)
    snprintf(out, size, n < 1e6 ? "%.2f us" : "%.2f ms",
             n / (n < 1e6 ? 1e3 : 1e6));
  else if (is_bytes && n >= 10485760)
    snprintf(out, size, "%.1f MB", n / 1048576);
  else if (is_bytes && n >= 10240)
    snprintf(out, size, "%.1f KB", n / 1024);
  else if (is_bytes)
    snprintf(out, size, "%.0f B", n);
  else if (*m->unit == '%')
    snprintf(out, size, "%.1f %%", n);
  else if (!strcmp(m->unit, "threads"))
    snprintf(out, size, "%.1f", n);
  else if (n < 1e11)
    snprintf(out, size, "%.0f", n);
  else
    snprintf(out, size, "%.1f G", n / 1e9);
}

static void add_row(const struct gpu_count_view *v, int row, bool has_nsight,
                    struct str *out) {
  const struct gpu_hardware_metric *m = &gpu_hardware_metrics[row];
  double seen = v->hardware->value[row];
  double counted =
      m->metric < 0 ? NAN : gpu_count_value(v, (enum gpu_metric)m->metric);
  bool says_nothing = m->metric >= 0 && !(seen != 0) && !(counted > 0);
  char a[32], b[32];
  if (isnan(seen) || says_nothing)
    return;
  format(counted, row, a, sizeof a);
  format(seen, row, b, sizeof b);
  str_addf(out, "  %-*s %*s %*s", NAME_WIDTH, m->name, VALUE_WIDTH, a,
           VALUE_WIDTH, b);
  if (has_nsight)
    str_addf(out, "  %s", m->nsight);
  str_add_char(out, '\n');
}

void gpu_hardware_table(const struct gpu_count_view *v, int columns,
                        struct str *out) {
  int used = 2 + NAME_WIDTH + 2 * (1 + VALUE_WIDTH);
  str_addf(out, "  %-*s %*s %*s\n", NAME_WIDTH, "hardware counters",
           VALUE_WIDTH, "virtual GPU", VALUE_WIDTH, v->device);
  for (int row = 0; row < GPU_HARDWARE_COUNT; row++)
    add_row(v, row, columns >= used + 2 + LONGEST_NSIGHT, out);
}
