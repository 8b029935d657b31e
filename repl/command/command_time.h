// SPDX-License-Identifier: Apache-2.0
// Seconds and their median.
#ifndef REPL_COMMAND_COMMAND_TIME_H
#define REPL_COMMAND_COMMAND_TIME_H

#include "repl/command/time.h"

double time_median(double *values, int n); // sorts them; n is at least 1

#endif
