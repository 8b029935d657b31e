// SPDX-License-Identifier: Apache-2.0
// The clock that only goes forward, whatever is done to the time of day, and that.
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

uint64_t clock_ns(void);
double clock_s(void); // the same in seconds

// The time of day, in milliseconds since 1970.
int64_t clock_day_ms(void);

#endif
