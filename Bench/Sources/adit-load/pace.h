// When things are due. A closed loop is always due; an open loop has a fixed rate, and what could
// not be sent in time stays due since its intended moment, so that a stall is seen in the latency
// of everything it delayed (no coordinated omission).
#pragma once

#include "clock.h"

#include <stdbool.h>

struct pace {
  int64_t begin;      // of the warm-up
  int64_t start;      // of the measured time
  int64_t end;
  double interval;    // nanoseconds between two; 0 is a closed loop
  uint64_t taken;
};

static inline struct pace pace_begin(double warmup, double seconds, double rate) {
  int64_t now = clock_now();
  int64_t start = now + clock_seconds(warmup);
  return (struct pace){.begin = now, .start = start, .end = start + clock_seconds(seconds),
                       .interval = rate > 0 ? 1e9 / rate : 0};
}

/// The moment at which the next one is due.
static inline int64_t pace_next(const struct pace *pace, int64_t now) {
  if (pace->interval == 0) return now;
  return pace->begin + (int64_t)((double)pace->taken * pace->interval);
}

/// How many were due before the end and not taken.
static inline uint64_t pace_left(const struct pace *pace) {
  if (pace->interval == 0) return 0;
  uint64_t due = (uint64_t)((double)(pace->end - pace->begin) / pace->interval);
  return due > pace->taken ? due - pace->taken : 0;
}
