// An echo of datagrams with one call a batch each way: what the kernel's interface allows.
//
//   datagram-epoll        prints its port, then echoes until it is ended
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#define BATCH 64
#define SLOT 65536

static char bytes[BATCH][SLOT];
static struct sockaddr_in peers[BATCH];
static struct iovec parts[BATCH];
static struct mmsghdr messages[BATCH];

static int bound(void) {
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  if (fd < 0 || bind(fd, (struct sockaddr *)&address, length) < 0 ||
      getsockname(fd, (struct sockaddr *)&address, &length) < 0) {
    perror("datagram-epoll");
    exit(1);
  }
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  return fd;
}

static int receive(int fd) {
  for (int index = 0; index < BATCH; index++) {
    parts[index] = (struct iovec){.iov_base = bytes[index], .iov_len = SLOT};
    messages[index].msg_hdr = (struct msghdr){
        .msg_name = &peers[index],
        .msg_namelen = sizeof peers[index],
        .msg_iov = &parts[index],
        .msg_iovlen = 1,
    };
  }
  return recvmmsg(fd, messages, BATCH, 0, NULL);
}

int main(void) {
  int fd = bound(), epoll = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event event = {.events = EPOLLIN};
  epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
  while (epoll_wait(epoll, &event, 1, -1) > 0) {
    int count = receive(fd);
    for (int index = 0; index < count; index++) parts[index].iov_len = messages[index].msg_len;
    for (int sent = 0, step; sent < count; sent += step) {
      step = sendmmsg(fd, messages + sent, count - sent, 0);
      if (step <= 0) break;
    }
  }
  return 1;
}
