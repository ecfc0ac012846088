// SPDX-License-Identifier: Apache-2.0
// selftest DIR: what a C program expects of WASI preview 1, seen through wasi-libc. DIR is an empty directory. Prints each
// expectation that does not hold, and ends with their number as its exit status; 100 more when the arguments are wrong.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include <wasi/api.h>

static int checks, failures;

#define EXPECT(condition)                                                                                                        \
  do {                                                                                                                           \
    checks++;                                                                                                                    \
    if (!(condition)) {                                                                                                          \
      failures++;                                                                                                                \
      printf("line %d does not hold: %s (errno %d: %s)\n", __LINE__, #condition, errno, strerror(errno));                        \
    }                                                                                                                            \
  } while (0)

#define EXPECT_ERRNO(call, code) EXPECT((errno = 0, (call) < 0) && errno == (code))

static const char* in_dir(const char* name) {
  static char paths[4][256];
  static int turn;
  extern const char* directory;
  char* path = paths[turn++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", directory, name);
  return path;
}
const char* directory;

static void test_files(void) {
  const int fd = open(in_dir("file"), O_RDWR | O_CREAT | O_EXCL, 0666);
  EXPECT(fd >= 3);
  struct iovec parts[3] = {{"hello", 5}, {"", 0}, {", world", 7}};
  EXPECT(writev(fd, parts, 3) == 12);
  EXPECT(lseek(fd, 0, SEEK_CUR) == 12);
  EXPECT(lseek(fd, -5, SEEK_END) == 7);
  char text[32] = {0};
  EXPECT(read(fd, text, sizeof text) == 5 && memcmp(text, "world", 5) == 0);
  EXPECT(read(fd, text, sizeof text) == 0);
  EXPECT_ERRNO(lseek(fd, -1, SEEK_SET), EINVAL);
  EXPECT(pread(fd, text, 4, 1) == 4 && memcmp(text, "ello", 4) == 0);
  EXPECT(pwrite(fd, "J", 1, 0) == 1);
  EXPECT(lseek(fd, 0, SEEK_SET) == 0);
  char first[3] = {0}, second[4] = {0};
  struct iovec into[2] = {{first, 2}, {second, 3}};
  EXPECT(readv(fd, into, 2) == 5 && strcmp(first, "Je") == 0 && strcmp(second, "llo") == 0);
  struct stat what;
  EXPECT(fstat(fd, &what) == 0 && S_ISREG(what.st_mode) && what.st_size == 12 && what.st_nlink == 1);
  EXPECT(ftruncate(fd, 5) == 0 && fstat(fd, &what) == 0 && what.st_size == 5);
  EXPECT(posix_fallocate(fd, 0, 100) == 0 && fstat(fd, &what) == 0 && what.st_size == 100);
  EXPECT(fsync(fd) == 0 && fdatasync(fd) == 0);
  EXPECT(close(fd) == 0);
  EXPECT_ERRNO(close(fd), EBADF);
  EXPECT_ERRNO(open(in_dir("file"), O_WRONLY | O_CREAT | O_EXCL, 0666), EEXIST);
  EXPECT_ERRNO(open(in_dir("nothing"), O_RDONLY), ENOENT);
  EXPECT_ERRNO(open(in_dir("file/below"), O_RDONLY), ENOTDIR);
}

static void test_append(void) {
  const int fd = open(in_dir("log"), O_WRONLY | O_CREAT | O_APPEND, 0666);
  EXPECT(fd >= 0 && write(fd, "one", 3) == 3);
  EXPECT(lseek(fd, 0, SEEK_SET) == 0 && write(fd, "two", 3) == 3);
  EXPECT((fcntl(fd, F_GETFL) & O_APPEND) != 0);
  char text[8];
  EXPECT_ERRNO(read(fd, text, 1), EBADF);
  EXPECT(close(fd) == 0);
  FILE* file = fopen(in_dir("log"), "r");
  EXPECT(file && fgets(text, sizeof text, file) && strcmp(text, "onetwo") == 0);
  if (file) fclose(file);
  const int read_only = open(in_dir("log"), O_RDONLY);
  EXPECT_ERRNO(write(read_only, "x", 1), EBADF);
  EXPECT(close(read_only) == 0);
}

static void test_directories(void) {
  char name[32];
  EXPECT(mkdir(in_dir("many"), 0777) == 0);
  EXPECT_ERRNO(mkdir(in_dir("many"), 0777), EEXIST);
  for (int i = 0; i < 300; i++) { // more than one buffer of the C library holds
    snprintf(name, sizeof name, "many/entry-%03d", i);
    const int fd = open(in_dir(name), O_WRONLY | O_CREAT, 0666);
    EXPECT(fd >= 0 && close(fd) == 0);
  }
  DIR* dir = opendir(in_dir("many"));
  EXPECT(dir != NULL);
  int files = 0, dots = 0;
  for (struct dirent* entry; dir && (entry = readdir(dir)) != NULL;) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
      dots++;
    else
      files += entry->d_type == DT_REG && strncmp(entry->d_name, "entry-", 6) == 0;
  }
  EXPECT(files == 300 && dots == 2);
  if (dir) {
    rewinddir(dir);
    EXPECT(readdir(dir) != NULL);
    closedir(dir);
  }
  EXPECT_ERRNO(rmdir(in_dir("many")), ENOTEMPTY);
  for (int i = 0; i < 300; i++) {
    snprintf(name, sizeof name, "many/entry-%03d", i);
    EXPECT(unlink(in_dir(name)) == 0);
  }
  EXPECT(rmdir(in_dir("many")) == 0);
  EXPECT_ERRNO(rmdir(in_dir("many")), ENOENT);
}

static void test_cookies(void) {
  EXPECT(mkdir(in_dir("c"), 0777) == 0);
  EXPECT(close(open(in_dir("c/aaaa"), O_CREAT | O_WRONLY, 0666)) == 0);
  EXPECT(close(open(in_dir("c/bbbb"), O_CREAT | O_WRONLY, 0666)) == 0);
  const int fd = open(in_dir("c"), O_RDONLY | O_DIRECTORY);
  EXPECT(fd >= 0);
  // One entry at a time: the buffer holds a head and a few bytes, and each next cookie continues where the last one ended.
  unsigned char buffer[30];
  __wasi_dircookie_t cookie = 0;
  int count = 0;
  __wasi_size_t used = sizeof buffer;
  while (count < 10 && __wasi_fd_readdir(fd, buffer, sizeof buffer, cookie, &used) == 0 && used >= sizeof(__wasi_dirent_t)) {
    __wasi_dirent_t head;
    memcpy(&head, buffer, sizeof head);
    cookie = head.d_next;
    count++;
  }
  EXPECT(count == 4 && used == 0);
  EXPECT(close(fd) == 0);
  EXPECT(unlink(in_dir("c/aaaa")) == 0 && unlink(in_dir("c/bbbb")) == 0 && rmdir(in_dir("c")) == 0);
}

static void test_links(void) {
  struct stat what, other;
  char text[16] = {0};
  EXPECT(symlink("file", in_dir("soft")) == 0);
  EXPECT(lstat(in_dir("soft"), &what) == 0 && S_ISLNK(what.st_mode) && what.st_size == 4);
  EXPECT(stat(in_dir("soft"), &what) == 0 && S_ISREG(what.st_mode));
  EXPECT(readlink(in_dir("soft"), text, sizeof text) == 4 && memcmp(text, "file", 4) == 0);
  EXPECT_ERRNO(open(in_dir("soft"), O_RDONLY | O_NOFOLLOW), ELOOP);
  EXPECT(link(in_dir("file"), in_dir("hard")) == 0);
  EXPECT(stat(in_dir("hard"), &what) == 0 && stat(in_dir("file"), &other) == 0 && what.st_ino == other.st_ino && what.st_nlink == 2);
  EXPECT(rename(in_dir("hard"), in_dir("renamed")) == 0 && stat(in_dir("renamed"), &what) == 0);
  EXPECT_ERRNO(stat(in_dir("hard"), &what), ENOENT);
  EXPECT(symlink("..", in_dir("up")) == 0);
  EXPECT(open(in_dir("up/../anything"), O_RDONLY) < 0);
  EXPECT(unlink(in_dir("soft")) == 0 && unlink(in_dir("renamed")) == 0 && unlink(in_dir("up")) == 0);
}

static void test_times(void) {
  const struct timespec times[2] = {{1000, 500}, {2000, 250}};
  struct stat what;
  EXPECT(utimensat(AT_FDCWD, in_dir("file"), times, 0) == 0 && stat(in_dir("file"), &what) == 0);
  EXPECT(what.st_atim.tv_sec == 1000 && what.st_atim.tv_nsec == 500 && what.st_mtim.tv_sec == 2000 && what.st_mtim.tv_nsec == 250);
  const int fd = open(in_dir("file"), O_RDWR);
  // Past futimens, whose library and header disagree about UTIME_OMIT.
  EXPECT(__wasi_fd_filestat_set_times(fd, 0, 0, __WASI_FSTFLAGS_MTIM_NOW) == 0);
  EXPECT(fstat(fd, &what) == 0 && what.st_atim.tv_sec == 1000 && what.st_mtim.tv_sec > 1000000000);
  EXPECT(close(fd) == 0);
}

static long long nanoseconds(clockid_t clock) {
  struct timespec now;
  return clock_gettime(clock, &now) == 0 ? now.tv_sec * 1000000000LL + now.tv_nsec : -1;
}

static void test_time_and_poll(void) {
  struct timespec resolution;
  EXPECT(clock_getres(CLOCK_MONOTONIC, &resolution) == 0 && (resolution.tv_sec > 0 || resolution.tv_nsec > 0));
  EXPECT(nanoseconds(CLOCK_REALTIME) > 1500000000LL * 1000000000);
  const long long begin = nanoseconds(CLOCK_MONOTONIC);
  const struct timespec nap = {0, 3000000};
  EXPECT(nanosleep(&nap, NULL) == 0 && nanoseconds(CLOCK_MONOTONIC) - begin >= 3000000);
  struct timespec until;
  EXPECT(clock_gettime(CLOCK_MONOTONIC, &until) == 0);
  EXPECT(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == 0);
  const int fd = open(in_dir("file"), O_RDWR);
  struct pollfd item = {fd, POLLRDNORM | POLLWRNORM, 0};
  EXPECT(poll(&item, 1, 10000) == 1 && (item.revents & POLLWRNORM) != 0 && (item.revents & POLLRDNORM) != 0);
  EXPECT(close(fd) == 0);
  EXPECT(sched_yield() == 0);
}

static void test_random(void) {
  unsigned char bytes[64] = {0};
  int sum = 0;
  EXPECT(getentropy(bytes, sizeof bytes) == 0);
  for (size_t i = 0; i < sizeof bytes; i++) sum |= bytes[i];
  EXPECT(sum != 0);
}

static void test_renumber(void) {
  const int one = open(in_dir("file"), O_RDONLY), two = open(in_dir("log"), O_RDONLY);
  char text[4] = {0};
  EXPECT(one >= 0 && two >= 0 && __wasi_fd_renumber(two, one) == 0);
  EXPECT(read(one, text, 3) == 3 && strcmp(text, "one") == 0);
  EXPECT_ERRNO(read(two, text, 1), EBADF);
  EXPECT(__wasi_fd_renumber(one, 3) != 0); // never over a preopened directory
  EXPECT(close(one) == 0);
}

int main(int argc, char** argv) {
  if (argc != 2) return 100;
  directory = argv[1];
  const char* variable = getenv("SELFTEST");
  EXPECT(variable && strcmp(variable, "a=b") == 0);
  EXPECT(getenv("HOME") == NULL);
  test_files();
  test_append();
  test_directories();
  test_cookies();
  test_links();
  test_times();
  test_time_and_poll();
  test_random();
  test_renumber();
  EXPECT(unlink(in_dir("file")) == 0 && unlink(in_dir("log")) == 0);
  printf("%d of %d expectations hold\n", checks - failures, checks);
  exit(failures > 99 ? 99 : failures);
}
