// SPDX-License-Identifier: Apache-2.0
// What the system says of a process, our own or a child.
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include <stdint.h>
#include <sys/types.h>

// Processor time of its whole life, in all its threads. 0: there is no such
// process (or the number is no process's, 0 included).
uint64_t process_cpu_ns(pid_t pid);

// Its state as /proc has it: 'R' runs, 'S' sleeps, 'D' sleeps in the kernel,
// 'Z' has ended and is not reaped. 0: there is no such process.
char process_state(pid_t pid);

// When it began, in ticks since the machine did: with its number it names a process
// for good. 0: there is no such process.
uint64_t process_start(pid_t pid);

// Waits until a child has ended, whatever signals come meanwhile, and reaps it:
// its status as wait(2) has it; 0 where there is no such child.
int process_wait(pid_t pid);

#endif
