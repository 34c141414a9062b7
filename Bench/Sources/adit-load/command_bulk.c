// Bulk: `--connections` streams are written (up) or read (down) as fast as they go.
#include "clock.h"
#include "commands.h"
#include "sockets.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>

enum { batch = 64, chunk = 128 * 1024 };

// The first byte tells the server what the stream is for.
static bool open_streams(const struct options *options, int poller) {
  char kind = options->download ? 'd' : 'u';
  for (uint32_t i = 0; i < options->connections; i++) {
    int descriptor = sockets_connect(options, i, true);
    if (descriptor < 0 || send(descriptor, &kind, 1, MSG_NOSIGNAL) != 1) return false;
    sockets_watch(poller, descriptor, options->download ? EPOLLIN : EPOLLOUT,
                  (uint64_t)descriptor);
  }
  return true;
}

// The bytes that one call moved; -1 when the stream is lost.
static ssize_t move(const struct options *options, int descriptor, char *buffer) {
  ssize_t count = options->download ? recv(descriptor, buffer, chunk, MSG_DONTWAIT)
                                    : send(descriptor, buffer, chunk, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (count < 0 && errno == EAGAIN) return 0;
  return count == 0 ? -1 : count;
}

int command_bulk(const struct options *options) {
  sockets_raise_limit();
  int poller = sockets_poller();
  char *buffer = calloc(1, chunk);
  if (!open_streams(options, poller)) {
    perror("adit-load: bulk");
    return 1;
  }
  int64_t begin = clock_now();
  int64_t start = begin + clock_seconds(options->warmup);
  int64_t end = start + clock_seconds(options->seconds);
  uint64_t total = 0, measured = 0;
  struct epoll_event events[batch];
  for (int64_t now = begin; now < end; now = clock_now()) {
    int count = epoll_wait(poller, events, batch, 100);
    for (int i = 0; i < count; i++) {
      ssize_t moved = move(options, (int)events[i].data.u64, buffer);
      if (moved < 0) {
        fprintf(stderr, "adit-load: a stream ended early\n");
        return 1;
      }
      total += (uint64_t)moved;
      if (now >= start) measured += (uint64_t)moved;
    }
  }
  printf("{\"total\":%llu,\"bytes\":%llu,\"seconds\":%.4f,\"gigabits\":%.4f}\n",
         (unsigned long long)total, (unsigned long long)measured, options->seconds,
         (double)measured * 8 / options->seconds / 1e9);
  return 0;
}
