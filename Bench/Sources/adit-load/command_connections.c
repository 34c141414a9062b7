// A connection for each exchange: open, one request, one response, close.
//   1. While one is due and a slot is free, a socket starts to connect.
//   2. Connected: the request is sent. Whole response: recorded, closed, the slot is free again.
#define _GNU_SOURCE
#include "commands.h"
#include "pace.h"
#include "report.h"
#include "sockets.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { batch = 128, buffer_bytes = 65536 };

struct slot {
  int descriptor;
  bool sent;
  uint32_t received;
  int64_t due;
};

struct connections {
  const struct options *options;
  int poller;
  struct slot *slots;
  uint32_t *free;  // a stack of free slots
  uint32_t free_count;
  uint32_t opened;
  struct pace pace;
  struct report report;
  char request[buffer_bytes];
  char response[buffer_bytes];
};

static void release(struct connections *run, uint32_t index) {
  close(run->slots[index].descriptor);
  run->slots[index].descriptor = -1;
  run->free[run->free_count++] = index;
}

static void fail(struct connections *run, uint32_t index) {
  run->report.errors++;
  release(run, index);
}

// True when the request is on its way; false when the socket is not connected yet, or lost.
static bool send_request(struct connections *run, uint32_t index) {
  struct slot *slot = &run->slots[index];
  ssize_t sent = send(slot->descriptor, run->request, run->options->request_bytes, MSG_NOSIGNAL);
  slot->sent = sent == (ssize_t)run->options->request_bytes;
  if (!slot->sent && !(sent < 0 && errno == EAGAIN)) fail(run, index);
  return slot->sent;
}

static void open_one(struct connections *run, int64_t due) {
  int descriptor = sockets_connect(run->options, run->opened++, false);
  if (descriptor < 0) {
    run->report.errors++;
    return;
  }
  uint32_t index = run->free[--run->free_count];
  run->slots[index] = (struct slot){.descriptor = descriptor, .due = due};
  // On loopback the handshake is usually over by now, which saves a wake-up.
  if (send_request(run, index)) sockets_watch(run->poller, descriptor, EPOLLIN, index);
  else if (run->slots[index].descriptor >= 0)
    sockets_watch(run->poller, descriptor, EPOLLIN | EPOLLOUT, index);
}

static void open_due(struct connections *run) {
  while (run->free_count > 0) {
    int64_t now = clock_now();
    int64_t due = pace_next(&run->pace, now);
    if (due > now || now >= run->pace.end) return;
    run->pace.taken++;
    open_one(run, due);
  }
}

static void advance(struct connections *run, uint32_t index) {
  struct slot *slot = &run->slots[index];
  if (slot->descriptor < 0) return;
  if (!slot->sent) {
    if (!send_request(run, index)) return;
    sockets_rewatch(run->poller, slot->descriptor, EPOLLIN, index);
  }
  ssize_t count = recv(slot->descriptor, run->response, buffer_bytes, 0);
  if (count < 0 && errno == EAGAIN) return;
  if (count <= 0) return fail(run, index);
  slot->received += (uint32_t)count;
  if (slot->received < run->options->response_bytes) return;
  report_completed(&run->report, slot->due, clock_now(), run->pace.start);
  release(run, index);
}

static int wait_events(struct connections *run, struct epoll_event *events, int64_t limit) {
  int64_t now = clock_now();
  int64_t until = limit;
  if (run->free_count > 0 && now < run->pace.end) until = pace_next(&run->pace, now);
  int64_t rest = until > now ? until - now : 0;
  struct timespec timeout = {.tv_sec = rest / 1000000000, .tv_nsec = rest % 1000000000};
  return epoll_pwait2(run->poller, events, batch, &timeout, NULL);
}

static void exchange(struct connections *run) {
  struct epoll_event events[batch];
  int64_t limit = run->pace.end + clock_seconds(1);
  while (clock_now() < run->pace.end ||
         (run->free_count < run->options->connections && clock_now() < limit)) {
    open_due(run);
    int count = wait_events(run, events, limit);
    for (int i = 0; i < count; i++) advance(run, (uint32_t)events[i].data.u64);
  }
}

int command_connections(const struct options *options) {
  sockets_raise_limit();
  struct connections *run = calloc(1, sizeof *run);
  run->options = options;
  run->poller = sockets_poller();
  run->slots = calloc(options->connections, sizeof(struct slot));
  run->free = calloc(options->connections, sizeof(uint32_t));
  memset(run->request, 'e', sizeof run->request);
  while (run->free_count < options->connections) run->free[run->free_count] = run->free_count,
                                                 run->free_count++;
  run->pace = pace_begin(options->warmup, options->seconds, options->rate);
  run->report.seconds = options->seconds;
  exchange(run);
  run->report.late = pace_left(&run->pace);
  report_print(&run->report);
  return 0;
}
