// A histogram of durations with constant relative error (under 1 %), in fixed memory.
#pragma once

#include <stdint.h>

enum { histogram_steps = 128, histogram_octaves = 40 };

struct histogram {
  uint64_t counts[histogram_octaves * histogram_steps];
  uint64_t total;
  int64_t maximum;
};

void histogram_record(struct histogram *histogram, int64_t nanoseconds);

/// The duration in microseconds that `fraction` of the records do not exceed; 0 when empty.
double histogram_quantile(const struct histogram *histogram, double fraction);
