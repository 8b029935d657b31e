// SPDX-License-Identifier: Apache-2.0
// clock is built in: it counts cycles of a multiprocessor.
#ifndef WARPSHOP_TIME_H
#define WARPSHOP_TIME_H

#include <stddef.h>

#endif
