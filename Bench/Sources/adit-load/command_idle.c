// Idle connections: each is opened and makes one exchange, so that it is known to reach the
// server; then all are held until standard input ends.
#include "commands.h"
#include "sockets.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { buffer_bytes = 65536 };

static bool exchange(const struct options *options, int descriptor) {
  static char buffer[buffer_bytes];
  struct timeval patience = {.tv_sec = 5};
  setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  memset(buffer, 'e', options->request_bytes);
  if (send(descriptor, buffer, options->request_bytes, MSG_NOSIGNAL) < 0) return false;
  uint32_t received = 0;
  while (received < options->response_bytes) {
    ssize_t count = recv(descriptor, buffer, sizeof buffer, 0);
    if (count <= 0) return false;
    received += (uint32_t)count;
  }
  return true;
}

int command_idle(const struct options *options) {
  sockets_raise_limit();
  uint32_t opened = 0;
  while (opened < options->connections) {
    int descriptor = sockets_connect(options, opened, true);
    if (descriptor < 0 || !exchange(options, descriptor)) break;
    opened++;
  }
  if (opened < options->connections) {
    fprintf(stderr, "adit-load: stopped at %u: %s\n", opened, strerror(errno));
  }
  printf("{\"opened\":%u}\n", opened);
  fflush(stdout);
  char byte;
  while (read(STDIN_FILENO, &byte, 1) > 0) continue;
  return 0;
}
