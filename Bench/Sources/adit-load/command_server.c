// The server: one port, four behaviours, chosen by the first byte that a connection sends.
//   'e'  exchange: for each `--request-bytes` received, `--response-bytes` are sent
//   'G'  HTTP: each request head is answered with a fixed small page
//   'u'  upload: everything is read and dropped
//   'd'  download: bytes are sent until the client closes
#define _GNU_SOURCE
#include "clock.h"
#include "commands.h"
#include "sockets.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { chunk = 128 * 1024, batch = 256, accept_limit = 64, server_descriptors = 65536 };

static const char http_response[] =
    "HTTP/1.1 200 OK\r\nServer: adit-load\r\nContent-Type: text/plain\r\n"
    "Content-Length: 100\r\nConnection: keep-alive\r\n\r\n"
    "0123456789012345678901234567890123456789012345678901234567890123456789"
    "012345678901234567890123456789";

struct peer {
  char behaviour;     // 0 before the first byte
  char watching_out;
  uint32_t received;  // of the current request; for HTTP: bytes of the blank line seen
  uint64_t owed;      // bytes still to send
};

struct server {
  const struct options *options;
  int poller;
  int listener;
  struct peer *peers;  // by descriptor
  char *input;
  char *output;
};

static void drop(struct server *server, int descriptor) {
  close(descriptor);
  server->peers[descriptor] = (struct peer){0};
}

static void admit(struct server *server) {
  for (int i = 0; i < accept_limit; i++) {
    int descriptor = accept4(server->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor < 0) return;
    if (descriptor >= server_descriptors) {
      close(descriptor);
      continue;
    }
    server->peers[descriptor] = (struct peer){0};
    sockets_watch(server->poller, descriptor, EPOLLIN, (uint64_t)descriptor);
  }
}

static void count_http(struct peer *peer, const char *bytes, size_t count) {
  static const char blank_line[] = "\r\n\r\n";
  for (size_t i = 0; i < count; i++) {
    peer->received = bytes[i] == blank_line[peer->received] ? peer->received + 1
                                                            : bytes[i] == '\r';
    if (peer->received < 4) continue;
    peer->received = 0;
    peer->owed += sizeof http_response - 1;
  }
}

static void count_exchange(const struct server *server, struct peer *peer, size_t count) {
  peer->received += (uint32_t)count;
  while (peer->received >= server->options->request_bytes) {
    peer->received -= server->options->request_bytes;
    peer->owed += server->options->response_bytes;
  }
}

static void understand(const struct server *server, struct peer *peer, size_t count) {
  if (peer->behaviour == 0) peer->behaviour = server->input[0];
  switch (peer->behaviour) {
    case 'e': count_exchange(server, peer, count); break;
    case 'G': count_http(peer, server->input, count); break;
    case 'd': peer->owed = UINT64_MAX; break;
    default: break;
  }
}

// Sends what is owed; false when the connection is gone. HTTP answers are sent one by one: no
// client here pipelines.
static bool pay(struct server *server, int descriptor) {
  struct peer *peer = &server->peers[descriptor];
  while (peer->owed > 0) {
    size_t most = peer->owed < chunk ? (size_t)peer->owed : chunk;
    const char *bytes = peer->behaviour == 'G' ? http_response : server->output;
    if (peer->behaviour == 'G' && most >= sizeof http_response) most = sizeof http_response - 1;
    ssize_t sent = send(descriptor, bytes, most, MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN) return false;
    if (sent > 0 && peer->owed != UINT64_MAX) peer->owed -= (uint64_t)sent;
    if (sent < (ssize_t)most) break;
  }
  char want = peer->owed > 0;
  if (want != peer->watching_out) {
    peer->watching_out = want;
    sockets_rewatch(server->poller, descriptor, EPOLLIN | (want ? EPOLLOUT : 0),
                    (uint64_t)descriptor);
  }
  return true;
}

static void serve(struct server *server, int descriptor, uint32_t events) {
  if (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) {
    ssize_t count = recv(descriptor, server->input, chunk, 0);
    if (count == 0 || (count < 0 && errno != EAGAIN)) return drop(server, descriptor);
    if (count > 0) understand(server, &server->peers[descriptor], (size_t)count);
  }
  if (server->peers[descriptor].owed > 0 && !pay(server, descriptor)) drop(server, descriptor);
}

int command_server(const struct options *options) {
  sockets_raise_limit();
  struct server server = {
      .options = options,
      .poller = sockets_poller(),
      .listener = sockets_listen(options->address, options->port),
      .peers = calloc(server_descriptors, sizeof(struct peer)),
      .input = malloc(chunk),
      .output = calloc(1, chunk),
  };
  if (server.listener < 0) return 1;
  sockets_watch(server.poller, server.listener, EPOLLIN, (uint64_t)server.listener);
  struct epoll_event events[batch];
  for (;;) {
    int count = epoll_wait(server.poller, events, batch, -1);
    if (count < 0 && errno != EINTR) return 1;
    for (int i = 0; i < count; i++) {
      int descriptor = (int)events[i].data.u64;
      if (descriptor == server.listener) admit(&server);
      else serve(&server, descriptor, events[i].events);
    }
  }
}
