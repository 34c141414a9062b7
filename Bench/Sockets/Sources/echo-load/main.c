// The load for an echo server: each connection sends a message, waits until it is back, and sends
// the next.
//
//   echo-load PORT CONNECTIONS BYTES SECONDS    prints round trips and seconds
//   echo-load --idle PORT CONNECTIONS           each echoes once; all are held until input ends
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MOST_CONNECTIONS 1024
#define MOST_BYTES 1048576
#define EVENTS 256

struct connection {
  int fd;
  size_t sent;
  size_t received;
};

static struct connection connections[MOST_CONNECTIONS];
static char message[MOST_BYTES];
static char answer[MOST_BYTES];
static size_t size;
static unsigned long long trips;

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec + now.tv_nsec / 1e9;
}

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static void push(struct connection *connection) {
  while (connection->sent < size) {
    ssize_t count =
        send(connection->fd, message + connection->sent, size - connection->sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EAGAIN) return;
    if (count < 0) fail("send");
    connection->sent += count;
  }
}

static void pull(struct connection *connection) {
  while (connection->received < size) {
    size_t room = size - connection->received;
    ssize_t count = recv(connection->fd, answer, room, 0);
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) fail("recv");
    connection->received += count;
    // A short read has emptied the socket.
    if ((size_t)count < room) return;
  }
  trips++;
  connection->sent = connection->received = 0;
  push(connection);
}

static void open_connection(struct connection *connection, int port, int epoll) {
  struct sockaddr_in address = {
      .sin_family = AF_INET,
      .sin_port = htons(port),
      .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
  };
  connection->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(connection->fd, (struct sockaddr *)&address, sizeof address) < 0) fail("connect");
  int one = 1;
  setsockopt(connection->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  if (fcntl(connection->fd, F_SETFL, O_NONBLOCK) < 0) fail("fcntl");
  struct epoll_event event = {
      .events = EPOLLIN | (size > 16384 ? EPOLLOUT : 0) | EPOLLET, .data.ptr = connection};
  epoll_ctl(epoll, EPOLL_CTL_ADD, connection->fd, &event);
}

static void hold(int port, int wanted) {
  for (int index = 0; index < wanted; index++) {
    struct sockaddr_in own = {
        .sin_family = AF_INET,
        // Several addresses, so that the ports of one are enough.
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1 + index % 4),
    };
    struct sockaddr_in address = own;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&own, sizeof own) < 0 ||
        connect(fd, (struct sockaddr *)&address, sizeof address) < 0) {
      fail("idle connection");
    }
    if (send(fd, "e", 1, MSG_NOSIGNAL) != 1 || recv(fd, answer, 1, 0) != 1) fail("idle echo");
  }
  printf("held\n");
  fflush(stdout);
  while (getchar() != EOF) continue;
}

int main(int count, char **arguments) {
  if (count == 4 && strcmp(arguments[1], "--idle") == 0) {
    hold(atoi(arguments[2]), atoi(arguments[3]));
    return 0;
  }
  if (count != 5) {
    fprintf(stderr, "usage: echo-load PORT CONNECTIONS BYTES SECONDS\n"
                    "       echo-load --idle PORT CONNECTIONS\n");
    return 2;
  }
  int port = atoi(arguments[1]), wanted = atoi(arguments[2]);
  size = strtoul(arguments[3], NULL, 10);
  double length = atof(arguments[4]);
  if (wanted < 1 || wanted > MOST_CONNECTIONS || size < 1 || size > MOST_BYTES) {
    fprintf(stderr, "1 to %d connections, 1 to %d bytes\n", MOST_CONNECTIONS, MOST_BYTES);
    return 2;
  }
  int epoll = epoll_create1(EPOLL_CLOEXEC);
  for (int index = 0; index < wanted; index++) {
    open_connection(&connections[index], port, epoll);
  }
  double start = seconds(), now = start;
  for (int index = 0; index < wanted; index++) push(&connections[index]);
  struct epoll_event events[EVENTS];
  while ((now = seconds()) < start + length) {
    int ready = epoll_wait(epoll, events, EVENTS, 1000);
    for (int index = 0; index < ready; index++) {
      struct connection *connection = events[index].data.ptr;
      push(connection);
      pull(connection);
    }
  }
  printf("%llu %.6f\n", trips, now - start);
  return 0;
}
