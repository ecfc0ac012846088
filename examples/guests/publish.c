// SPDX-License-Identifier: Apache-2.0
// publish FILE [TEXT]: creates FILE with a line of text, all at once: it is written under another name first and then renamed.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int fail(const char* what, const char* name) {
  fprintf(stderr, "publish: %s %s: %s\n", what, name, strerror(errno));
  return 1;
}

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    fputs("usage: publish FILE [TEXT]\n", stderr);
    return 2;
  }
  // A name of its own, so that several publishers of one file do not get into each other's way.
  unsigned int number;
  if (getentropy(&number, sizeof number) != 0) return fail("no random number for", argv[1]);
  char other[1024];
  if (snprintf(other, sizeof other, "%s.part-%08x", argv[1], number) >= (int)sizeof other) {
    fputs("publish: the name is too long\n", stderr);
    return 2;
  }
  FILE* file = fopen(other, "w");
  if (!file) return fail("cannot create", other);
  fprintf(file, "%s\n", argc > 2 ? argv[2] : "published");
  if (fflush(file) != 0 || fsync(fileno(file)) != 0 || fclose(file) != 0) return fail("cannot write", other);
  if (rename(other, argv[1]) != 0) return fail("cannot rename to", argv[1]);
  printf("published %s\n", argv[1]);
  return 0;
}
