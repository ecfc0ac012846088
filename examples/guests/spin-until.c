// SPDX-License-Identifier: Apache-2.0
// spin-until FILE: computes, and looks again and again whether FILE exists; ends when it does. Never blocks and never yields, so
// it ends only if whoever runs it lets somebody else create the file.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char** argv) {
  if (argc != 2) {
    fputs("usage: spin-until FILE\n", stderr);
    return 2;
  }
  unsigned long rounds = 0;
  unsigned int mix = 1;
  struct stat what;
  while (stat(argv[1], &what) != 0) {
    if (errno != ENOENT) {
      fprintf(stderr, "spin-until: %s: %s\n", argv[1], strerror(errno));
      return 1;
    }
    for (int i = 0; i < 2000; i++) mix = mix * 1664525u + 1013904223u;
    rounds++;
  }
  char text[64];
  const int fd = open(argv[1], O_RDONLY);
  const ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
  if (n < 0) {
    fprintf(stderr, "spin-until: %s: %s\n", argv[1], strerror(errno));
    return 1;
  }
  text[n] = '\0';
  text[strcspn(text, "\n")] = '\0';
  printf("found \"%s\" after %lu rounds (%08x)\n", text, rounds, mix);
  return 0;
}
