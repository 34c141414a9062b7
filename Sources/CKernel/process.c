// The process: limits, threads, clocks, memory.
#define _GNU_SOURCE
#include "CKernel.h"

#include <errno.h>
#include <fcntl.h>
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

int adit_open_standard_descriptors(void) {
  for (int fd = 0; fd <= 2; fd++) {
    // The lowest free number is given out, so each one is filled in turn.
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0) return -errno;
  }
  return 0;
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
