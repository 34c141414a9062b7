// An echo server on epoll and nothing else: what the kernel's interface allows.
//
//   echo-epoll            prints its port, then echoes until it is ended
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define BUFFER_SIZE 65536
#define EVENTS 256

static char buffer[BUFFER_SIZE];

static int listening(void) {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  if (fd < 0 || bind(fd, (struct sockaddr *)&address, length) < 0 || listen(fd, 4096) < 0 ||
      getsockname(fd, (struct sockaddr *)&address, &length) < 0) {
    perror("echo-epoll");
    exit(1);
  }
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  return fd;
}

static void accept_all(int epoll, int listener) {
  int fd;
  while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
    int one = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
  }
}

// Writes everything, waiting where it must: an echo's peer reads what it is sent.
static int send_all(int fd, const char *bytes, ssize_t count) {
  while (count > 0) {
    ssize_t sent = send(fd, bytes, count, MSG_NOSIGNAL);
    if (sent < 0 && errno == EAGAIN) continue;
    if (sent < 0) return -1;
    bytes += sent;
    count -= sent;
  }
  return 0;
}

static void echo(int fd) {
  ssize_t count = recv(fd, buffer, sizeof buffer, 0);
  if (count < 0 && errno == EAGAIN) return;
  if (count <= 0 || send_all(fd, buffer, count) < 0) close(fd);
}

int main(void) {
  int listener = listening();
  int epoll = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = listener};
  epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event);
  struct epoll_event events[EVENTS];
  for (;;) {
    int count = epoll_wait(epoll, events, EVENTS, -1);
    for (int index = 0; index < count; index++) {
      int fd = events[index].data.fd;
      if (fd == listener) accept_all(epoll, listener);
      else echo(fd);
    }
  }
}
