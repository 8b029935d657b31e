// SPDX-License-Identifier: Apache-2.0
// Dates and points in time as texts: days since 1970 in the Gregorian calendar, as ISO
// 8601 writes them but for the blank that pandas puts for the T.
#include "lua/bind/frame/arrow/arrow_time.h"

#include <stdio.h>

struct date {
  long long year;
  int month, day;
};

enum { DAYS_400_YEARS = 146097, EPOCH_FROM_MARCH_0 = 719468 };

// Years begin with March here, so that a leap day is the last of its year.
static struct date date_of(int64_t days) {
  int64_t z = days + EPOCH_FROM_MARCH_0;
  int64_t era = (z >= 0 ? z : z - (DAYS_400_YEARS - 1)) / DAYS_400_YEARS;
  int64_t of_era = z - era * DAYS_400_YEARS;
  int64_t year =
      (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
  int64_t month = (5 * of_year + 2) / 153; // 0: March
  struct date d = {year + era * 400, (int)(month < 10 ? month + 3 : month - 9),
                   (int)(of_year - (153 * month + 2) / 5 + 1)};
  d.year += d.month <= 2;
  return d;
}

size_t arrow_time_text(const struct arrow_field *f, int64_t v,
                       char out[ARROW_TIME_TEXT]) {
  int64_t days = v / f->per_day, rest = v % f->per_day;
  if (rest < 0) {
    rest += f->per_day;
    days--;
  }
  struct date d = date_of(days);
  int n = snprintf(out, ARROW_TIME_TEXT, "%04lld-%02d-%02d", d.year, d.month,
                   d.day);
  if (f->is_date)
    return (size_t)n;
  int64_t per_second = f->per_day / 86400;
  int s = (int)(rest / per_second);
  n += snprintf(out + n, ARROW_TIME_TEXT - (size_t)n, " %02d:%02d:%02d",
                s / 3600, s / 60 % 60, s % 60);
  int64_t part = rest % per_second;
  if (part) {
    int digits = per_second == 1000 ? 3 : per_second == 1000000 ? 6 : 9;
    n += snprintf(out + n, ARROW_TIME_TEXT - (size_t)n, ".%0*lld", digits,
                  (long long)part);
    while (out[n - 1] == '0')
      out[--n] = 0;
  }
  if (f->is_zoned)
    n += snprintf(out + n, ARROW_TIME_TEXT - (size_t)n, "+00:00");
  return (size_t)n;
}
