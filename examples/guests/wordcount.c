// SPDX-License-Identifier: Apache-2.0
// wordcount PATH...: counts lines, words and bytes of files, and of all files below directories. One line for each argument when
// there is more than one, then the total. Symbolic links are not followed.
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct counts {
  unsigned long files, lines, words, bytes;
};

static int failures;

static void complain(const char* path) {
  fprintf(stderr, "wordcount: %s: %s\n", path, strerror(errno));
  failures++;
}

static void add(struct counts* to, const struct counts* from) {
  to->files += from->files;
  to->lines += from->lines;
  to->words += from->words;
  to->bytes += from->bytes;
}

static void print(const struct counts* counts, const char* name) {
  printf("%s: %lu files, %lu lines, %lu words, %lu bytes\n", name, counts->files, counts->lines, counts->words, counts->bytes);
}

static void count_file(const char* path, struct counts* to) {
  static char buffer[8192];
  FILE* file = fopen(path, "r");
  if (!file) {
    complain(path);
    return;
  }
  int in_word = 0;
  for (size_t n; (n = fread(buffer, 1, sizeof buffer, file)) > 0; to->bytes += n)
    for (size_t i = 0; i < n; i++) {
      const int is_space = isspace((unsigned char)buffer[i]) != 0;
      to->lines += buffer[i] == '\n';
      to->words += !is_space && !in_word;
      in_word = !is_space;
    }
  if (ferror(file)) complain(path);
  fclose(file);
  to->files++;
}

static void count(const char* path, struct counts* to) {
  struct stat what;
  if (lstat(path, &what) != 0) {
    complain(path);
    return;
  }
  if (S_ISREG(what.st_mode)) count_file(path, to);
  if (!S_ISDIR(what.st_mode)) return;
  DIR* dir = opendir(path);
  if (!dir) {
    complain(path);
    return;
  }
  for (struct dirent* entry; (entry = readdir(dir)) != NULL;) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    const size_t size = strlen(path) + strlen(entry->d_name) + 2;
    char* below = malloc(size);
    if (!below) abort();
    snprintf(below, size, "%s/%s", path, entry->d_name);
    count(below, to);
    free(below);
  }
  closedir(dir);
}

int main(int argc, char** argv) {
  if (argc < 2) {
    fputs("usage: wordcount PATH...\n", stderr);
    return 2;
  }
  struct counts total = {0};
  for (int i = 1; i < argc; i++) {
    struct counts one = {0};
    count(argv[i], &one);
    if (argc > 2) print(&one, argv[i]);
    add(&total, &one);
  }
  print(&total, "total");
  return failures > 0;
}
