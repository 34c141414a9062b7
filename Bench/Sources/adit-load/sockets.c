#define _GNU_SOURCE
#include "sockets.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

void sockets_raise_limit(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

static bool resolve(const char *text, uint16_t port, struct sockaddr_in *address) {
  *address = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(port)};
  if (inet_pton(AF_INET, text, &address->sin_addr) == 1) return true;
  fprintf(stderr, "adit-load: %s is not an IPv4 address\n", text);
  return false;
}

int sockets_listen(const char *text, uint16_t port) {
  struct sockaddr_in address;
  if (!resolve(text, port, &address)) return -1;
  int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  int yes = 1;
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0 &&
      listen(descriptor, 4096) == 0) {
    return descriptor;
  }
  fprintf(stderr, "adit-load: cannot listen on %s:%u: %s\n", text, port, strerror(errno));
  close(descriptor);
  return -1;
}

// The port is chosen at connect(), so that each pair of addresses has its own range of ports.
static bool bind_source(int descriptor, uint32_t index) {
  struct sockaddr_in source = {
      .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK + index)};
  int yes = 1;
  setsockopt(descriptor, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &yes, sizeof yes);
  return bind(descriptor, (struct sockaddr *)&source, sizeof source) == 0;
}

int sockets_connect(const struct options *options, uint32_t index, bool blocking) {
  struct sockaddr_in address;
  if (!resolve(options->address, options->port, &address)) return -1;
  int flags = SOCK_STREAM | SOCK_CLOEXEC | (blocking ? 0 : SOCK_NONBLOCK);
  int descriptor = socket(AF_INET, flags, 0);
  if (descriptor < 0) return -1;
  int yes = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  bool bound = options->sources < 2 || bind_source(descriptor, index % options->sources);
  if (bound && (connect(descriptor, (struct sockaddr *)&address, sizeof address) == 0 ||
                errno == EINPROGRESS)) {
    return descriptor;
  }
  close(descriptor);
  return -1;
}

int sockets_poller(void) {
  int poller = epoll_create1(EPOLL_CLOEXEC);
  if (poller >= 0) return poller;
  perror("adit-load: epoll_create1");
  exit(1);
}

void sockets_watch(int poller, int descriptor, uint32_t events, uint64_t key) {
  struct epoll_event event = {.events = events, .data.u64 = key};
  if (epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event) == 0) return;
  perror("adit-load: epoll_ctl");
  exit(1);
}

void sockets_rewatch(int poller, int descriptor, uint32_t events, uint64_t key) {
  struct epoll_event event = {.events = events, .data.u64 = key};
  epoll_ctl(poller, EPOLL_CTL_MOD, descriptor, &event);
}
