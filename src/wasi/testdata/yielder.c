// SPDX-License-Identifier: Apache-2.0
// yielder NAME COUNT: writes NAME and gives way, COUNT times.
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  for (int left = atoi(argv[2]); left > 0; left--)
    if (write(1, argv[1], strlen(argv[1])) < 0 || sched_yield() != 0) return 1;
  return 0;
}
