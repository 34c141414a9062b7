// Readiness: epoll, eventfd, signalfd.
#define _GNU_SOURCE
#include "CKernel.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

int adit_epoll_create(void) {
  int fd = epoll_create1(EPOLL_CLOEXEC);
  return fd < 0 ? -errno : fd;
}

static int control(int epoll, int operation, int fd, uint32_t events, uint64_t data) {
  struct epoll_event event = {.events = events, .data.u64 = data};
  return epoll_ctl(epoll, operation, fd, &event) < 0 ? -errno : 0;
}

int adit_epoll_add(int epoll, int fd, uint32_t events, uint64_t data) {
  return control(epoll, EPOLL_CTL_ADD, fd, events, data);
}

int adit_epoll_modify(int epoll, int fd, uint32_t events, uint64_t data) {
  return control(epoll, EPOLL_CTL_MOD, fd, events, data);
}

int adit_epoll_delete(int epoll, int fd) { return control(epoll, EPOLL_CTL_DEL, fd, 0, 0); }

// The kernel's event is packed on x86-64 and not elsewhere; unpacking here keeps Swift from caring.
int adit_epoll_wait(int epoll, struct adit_event *events, int capacity, int timeout_ms) {
  struct epoll_event raw[256];
  if (capacity > 256) capacity = 256;
  int count = epoll_wait(epoll, raw, capacity, timeout_ms);
  if (count < 0) return errno == EINTR ? 0 : -errno;
  for (int i = 0; i < count; i++) {
    events[i].data = raw[i].data.u64;
    events[i].events = raw[i].events;
  }
  return count;
}

int adit_eventfd(void) {
  int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  return fd < 0 ? -errno : fd;
}

int adit_signalfd(const int *signals, int count) {
  sigset_t set;
  sigemptyset(&set);
  for (int i = 0; i < count; i++) sigaddset(&set, signals[i]);
  int failure = pthread_sigmask(SIG_BLOCK, &set, NULL);
  if (failure) return -failure;
  int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  return fd < 0 ? -errno : fd;
}

int adit_signalfd_read(int fd) {
  struct signalfd_siginfo info;
  ssize_t count = read(fd, &info, sizeof info);
  if (count == (ssize_t)sizeof info) return (int)info.ssi_signo;
  return (count < 0 && errno != EAGAIN && errno != EINTR) ? -errno : 0;
}

int adit_quiet_descriptor(void) {
  int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  return fd < 0 ? -errno : fd;
}

int adit_block_signals(void) {
  sigset_t set;
  sigfillset(&set);
  int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF};
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset(&set, faults[i]);
  return -pthread_sigmask(SIG_BLOCK, &set, NULL);
}

int adit_ignore_sigpipe(void) { return signal(SIGPIPE, SIG_IGN) == SIG_ERR ? -errno : 0; }
