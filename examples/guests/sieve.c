// SPDX-License-Identifier: Apache-2.0
// sieve [N]: counts the primes up to N (16 million without it) with a sieve of one byte a number, and prints the largest. Computes only.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  const unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 16000000;
  if (n < 2 || n > 1000000000) {
    fputs("sieve: N must be from 2 to 1000000000\n", stderr);
    return 2;
  }
  unsigned char* composite = calloc(n + 1, 1);
  if (!composite) {
    fputs("sieve: not enough memory\n", stderr);
    return 1;
  }
  unsigned long count = 0, largest = 0;
  for (unsigned long i = 2; i <= n; i++) {
    if (composite[i]) continue;
    count++;
    largest = i;
    if (i > n / i) continue;
    for (unsigned long j = i * i; j <= n; j += i) composite[j] = 1;
  }
  printf("%lu primes up to %lu, the largest is %lu\n", count, n, largest);
  free(composite);
  return 0;
}
