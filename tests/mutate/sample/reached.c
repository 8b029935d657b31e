// SPDX-License-Identifier: Apache-2.0
// Which mutants does a test program reach? Linked into a copy of the programs, in which
// each mutant's statement calls mutation_reached(). The notes are bytes of a file that all
// processes share: it is opened before a process shuts itself in, and holds what one
// wrote that was killed. main.py puts the file's name in.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#define NOTES 65536

void mutation_reached(int number);

static unsigned char nowhere[NOTES];
static unsigned char *notes = nowhere;

__attribute__((constructor)) static void open_notes(void) {
  int fd = open("@NOTES@", O_RDWR | O_CLOEXEC);
  if (fd < 0)
    return;
  void *at = mmap(NULL, NOTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (at != MAP_FAILED)
    notes = at;
}

void mutation_reached(int number) {
  if (number >= 0 && number < NOTES && !notes[number])
    notes[number] = 1;
}
