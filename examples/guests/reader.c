// SPDX-License-Identifier: Apache-2.0
// reader [FILE]: reads lines from standard input, or from a file or fifo, and prints each with its length as soon as it is there.
// Blocks whenever nothing is there.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned long lines, bytes;

static void print_line(const char* text, size_t length) {
  printf("%4zu %.*s\n", length, (int)length, text);
  fflush(stdout);
  lines++;
  bytes += length;
}

int main(int argc, char** argv) {
  int fd = STDIN_FILENO;
  if (argc > 1 && (fd = open(argv[1], O_RDONLY)) < 0) {
    fprintf(stderr, "reader: %s: %s\n", argv[1], strerror(errno));
    return 1;
  }
  size_t capacity = 4096, used = 0;
  char* buffer = malloc(capacity);
  for (ssize_t n; buffer && (n = read(fd, buffer + used, capacity - used)) != 0;) {
    if (n < 0) {
      fprintf(stderr, "reader: %s\n", strerror(errno));
      return 1;
    }
    used += (size_t)n;
    size_t begin = 0;
    for (char* end; (end = memchr(buffer + begin, '\n', used - begin)) != NULL; begin = (size_t)(end - buffer) + 1)
      print_line(buffer + begin, (size_t)(end - (buffer + begin)));
    memmove(buffer, buffer + begin, used - begin);
    used -= begin;
    if (used == capacity) buffer = realloc(buffer, capacity *= 2);
  }
  if (!buffer) {
    fputs("reader: not enough memory\n", stderr);
    return 1;
  }
  if (used > 0) print_line(buffer, used);
  printf("%lu lines, %lu bytes without line ends\n", lines, bytes);
  return 0;
}
