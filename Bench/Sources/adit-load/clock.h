// Time as nanoseconds of the monotonic clock.
#pragma once

#include <stdint.h>
#include <time.h>

static inline int64_t clock_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline int64_t clock_seconds(double seconds) { return (int64_t)(seconds * 1e9); }
