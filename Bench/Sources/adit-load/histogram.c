#include "histogram.h"

// Durations under 128 ns have a step each; above that each doubling is cut into 64 steps.
static uint32_t step_of(uint64_t value) {
  if (value < histogram_steps) return (uint32_t)value;
  uint32_t octave = 63 - (uint32_t)__builtin_clzll(value) - 6;  // 1 for 128…255
  uint32_t step = (uint32_t)(value >> octave) - histogram_steps / 2;
  uint32_t index = octave * (histogram_steps / 2) + step + histogram_steps / 2;
  uint32_t last = histogram_octaves * histogram_steps - 1;
  return index < last ? index : last;
}

static double value_of(uint32_t index) {
  if (index < histogram_steps) return index;
  uint32_t octave = (index - histogram_steps / 2) / (histogram_steps / 2);
  uint32_t step = (index - histogram_steps / 2) % (histogram_steps / 2) + histogram_steps / 2;
  return ((double)step + 0.5) * (double)(1ULL << octave);
}

void histogram_record(struct histogram *histogram, int64_t nanoseconds) {
  if (nanoseconds < 0) nanoseconds = 0;
  histogram->counts[step_of((uint64_t)nanoseconds)]++;
  histogram->total++;
  if (nanoseconds > histogram->maximum) histogram->maximum = nanoseconds;
}

double histogram_quantile(const struct histogram *histogram, double fraction) {
  uint64_t wanted = (uint64_t)(fraction * (double)histogram->total);
  uint64_t seen = 0;
  for (uint32_t i = 0; i < histogram_octaves * histogram_steps; i++) {
    seen += histogram->counts[i];
    if (seen > wanted) return value_of(i) / 1000;
  }
  return (double)histogram->maximum / 1000;
}
