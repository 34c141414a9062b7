#include "report.h"

#include <stdio.h>

void report_completed(struct report *report, int64_t due, int64_t now, int64_t start) {
  report->total++;
  if (due < start) return;
  report->completed++;
  histogram_record(&report->latencies, now - due);
}

void report_print(const struct report *report) {
  printf("{\"completed\":%llu,\"total\":%llu,\"errors\":%llu,\"late\":%llu,\"seconds\":%.4f,"
         "\"rate\":%.1f,\"p50\":%.1f,\"p90\":%.1f,\"p99\":%.1f,\"p999\":%.1f,\"maximum\":%.1f}\n",
         (unsigned long long)report->completed, (unsigned long long)report->total,
         (unsigned long long)report->errors, (unsigned long long)report->late, report->seconds,
         (double)report->completed / report->seconds,
         histogram_quantile(&report->latencies, 0.50), histogram_quantile(&report->latencies, 0.90),
         histogram_quantile(&report->latencies, 0.99),
         histogram_quantile(&report->latencies, 0.999), (double)report->latencies.maximum / 1000);
  fflush(stdout);
}
