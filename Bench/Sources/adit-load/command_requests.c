// Exchanges on connections that stay open.
//   1. All connections are opened and wait in a ring.
//   2. While an exchange is due and a connection waits, the request is sent on it.
//   3. A whole response is recorded against the moment its request was due.
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

struct line {
  int descriptor;
  uint32_t received;
  int64_t due;
};

struct requests {
  const struct options *options;
  int poller;
  struct line *lines;
  uint32_t *ring;  // lines that wait for work, oldest first
  uint32_t ring_head;
  uint32_t ring_count;
  struct pace pace;
  struct report report;
  char request[buffer_bytes];
  char response[buffer_bytes];
};

static void wait_for_work(struct requests *run, uint32_t index) {
  uint32_t place = (run->ring_head + run->ring_count++) % run->options->connections;
  run->ring[place] = index;
}

static bool open_lines(struct requests *run) {
  for (uint32_t i = 0; i < run->options->connections; i++) {
    int descriptor = sockets_connect(run->options, i, true);
    if (descriptor < 0) {
      fprintf(stderr, "adit-load: connection %u: %s\n", i, strerror(errno));
      return false;
    }
    run->lines[i].descriptor = descriptor;
    sockets_watch(run->poller, descriptor, EPOLLIN, i);
    wait_for_work(run, i);
  }
  return true;
}

static void lose(struct requests *run, struct line *line) {
  run->report.errors++;
  close(line->descriptor);
  line->descriptor = -1;
}

// A request is far smaller than a socket buffer: a short write is an error of the path.
static void send_due(struct requests *run) {
  while (run->ring_count > 0) {
    int64_t now = clock_now();
    int64_t due = pace_next(&run->pace, now);
    if (due > now || now >= run->pace.end) return;
    struct line *line = &run->lines[run->ring[run->ring_head]];
    run->ring_head = (run->ring_head + 1) % run->options->connections;
    run->ring_count--;
    run->pace.taken++;
    line->due = due;
    line->received = 0;
    ssize_t sent = send(line->descriptor, run->request, run->options->request_bytes,
                        MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent != (ssize_t)run->options->request_bytes) lose(run, line);
  }
}

static void receive(struct requests *run, uint32_t index) {
  struct line *line = &run->lines[index];
  if (line->descriptor < 0) return;
  ssize_t count = recv(line->descriptor, run->response, buffer_bytes, MSG_DONTWAIT);
  if (count < 0 && errno == EAGAIN) return;
  if (count <= 0) return lose(run, line);
  line->received += (uint32_t)count;
  if (line->received < run->options->response_bytes) return;
  report_completed(&run->report, line->due, clock_now(), run->pace.start);
  wait_for_work(run, index);
}

// Waits for responses, and no longer than until the next request is due.
static int wait_events(struct requests *run, struct epoll_event *events, int64_t limit) {
  int64_t now = clock_now();
  int64_t until = limit;
  if (run->ring_count > 0 && now < run->pace.end) until = pace_next(&run->pace, now);
  int64_t rest = until > now ? until - now : 0;
  struct timespec timeout = {.tv_sec = rest / 1000000000, .tv_nsec = rest % 1000000000};
  return epoll_pwait2(run->poller, events, batch, &timeout, NULL);
}

static void exchange(struct requests *run) {
  struct epoll_event events[batch];
  int64_t limit = run->pace.end + clock_seconds(1);  // for the last responses
  while (clock_now() < run->pace.end ||
         (run->ring_count < run->options->connections && clock_now() < limit)) {
    send_due(run);
    int count = wait_events(run, events, limit);
    for (int i = 0; i < count; i++) receive(run, (uint32_t)events[i].data.u64);
    if (run->report.errors >= run->options->connections) return;
  }
}

int command_requests(const struct options *options) {
  sockets_raise_limit();
  struct requests *run = calloc(1, sizeof *run);
  run->options = options;
  run->poller = sockets_poller();
  run->lines = calloc(options->connections, sizeof(struct line));
  run->ring = calloc(options->connections, sizeof(uint32_t));
  memset(run->request, 'e', sizeof run->request);
  if (!open_lines(run)) return 1;
  run->pace = pace_begin(options->warmup, options->seconds, options->rate);
  run->report.seconds = options->seconds;
  exchange(run);
  run->report.late = pace_left(&run->pace);
  report_print(&run->report);
  return 0;
}
