// What a load run found, and its JSON.
#pragma once

#include "histogram.h"

struct report {
  struct histogram latencies;
  uint64_t completed;  // in the measured time
  uint64_t total;      // with the warm-up: what a relay's processor time is divided by
  uint64_t errors;
  uint64_t late;       // were due in an open loop and never sent
  double seconds;      // measured
};

/// Counts one completed exchange that was due at `due` and done at `now`; both times are from the
/// monotonic clock, and only those due from `start` on are measured.
void report_completed(struct report *report, int64_t due, int64_t now, int64_t start);

/// Prints the report as one JSON object.
void report_print(const struct report *report);
