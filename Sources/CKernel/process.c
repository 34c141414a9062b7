// The process: limits, threads, clocks, memory, command line.
#define _GNU_SOURCE
#include "CKernel.h"

#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

long adit_raise_descriptor_limit(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) < 0) return -errno;
  if (limit.rlim_cur < limit.rlim_max) {
    struct rlimit raised = {.rlim_cur = limit.rlim_max, .rlim_max = limit.rlim_max};
    if (setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  }
  return limit.rlim_cur > 0x7fffffff ? 0x7fffffff : (long)limit.rlim_cur;
}

struct start {
  char name[16];
  void (*body)(void *);
  void *context;
};

static void *run(void *argument) {
  struct start start = *(struct start *)argument;
  free(argument);
  pthread_setname_np(pthread_self(), start.name);
  adit_block_signals();
  start.body(start.context);
  return NULL;
}

int adit_thread_start(pthread_t *thread, const char *name, void (*body)(void *), void *context) {
  struct start *start = calloc(1, sizeof *start);
  if (!start) return -ENOMEM;
  strncpy(start->name, name, sizeof start->name - 1);
  start->body = body;
  start->context = context;
  int failure = pthread_create(thread, NULL, run, start);
  if (failure) free(start);
  return -failure;
}

int adit_processor_count(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count > 0 ? (int)count : 1;
}

static uint64_t nanoseconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t adit_monotonic_nanoseconds(void) { return nanoseconds(CLOCK_MONOTONIC); }

uint64_t adit_realtime_nanoseconds(void) { return nanoseconds(CLOCK_REALTIME); }

const char *adit_error_name(int code) { return strerrorname_np(code); }

const char *adit_error_description(int code) { return strerrordesc_np(code); }

void *adit_reserve(size_t bytes) {
  void *address =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return address == MAP_FAILED ? NULL : address;
}

void adit_unreserve(void *address, size_t bytes) { munmap(address, bytes); }

void adit_forget(void *address, size_t bytes) { madvise(address, bytes, MADV_DONTNEED); }

void adit_getopt_reset(void) {
  optind = 0;
  opterr = 0;
}

int adit_getopt(int argc, char *const argv[], const char *letters,
                const struct adit_option_spec *options, int count, const char **argument,
                int *index) {
  struct option *table = calloc((size_t)count + 1, sizeof *table);
  if (!table) return -1;
  for (int i = 0; i < count; i++) {
    table[i].name = options[i].name;
    table[i].has_arg = options[i].argument ? required_argument : no_argument;
    table[i].val = options[i].value;
  }
  int result = getopt_long(argc, argv, letters, table, NULL);
  free(table);
  *argument = (result == '?' || result == ':') ? NULL : optarg;
  *index = optind;
  return result;
}
