// The load for an echo of datagrams: a window of them is under way, each that comes back is sent
// again, and what is lost is made up for after a silence.
//
//   datagram-load PORT BYTES SECONDS    prints echoes, seconds and datagrams lost
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#define WINDOW 64
#define MOST_BYTES 65507
#define SILENCE_MILLISECONDS 100

static char bytes[WINDOW][MOST_BYTES];
static struct iovec parts[WINDOW];
static struct mmsghdr messages[WINDOW];

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec + now.tv_nsec / 1e9;
}

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static void send_all(int fd, int count) {
  for (int sent = 0; sent < count;) {
    int step = sendmmsg(fd, messages + sent, count - sent, 0);
    if (step < 0) fail("sendmmsg");
    sent += step;
  }
}

int main(int count, char **arguments) {
  if (count != 4) {
    fprintf(stderr, "usage: datagram-load PORT BYTES SECONDS\n");
    return 2;
  }
  size_t size = strtoul(arguments[2], NULL, 10);
  double length = atof(arguments[3]);
  if (size < 1 || size > MOST_BYTES) {
    fprintf(stderr, "1 to %d bytes\n", MOST_BYTES);
    return 2;
  }
  struct sockaddr_in address = {
      .sin_family = AF_INET,
      .sin_port = htons(atoi(arguments[1])),
      .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
  };
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) < 0) fail("connect");
  for (int index = 0; index < WINDOW; index++) {
    parts[index] = (struct iovec){.iov_base = bytes[index], .iov_len = size};
    messages[index].msg_hdr = (struct msghdr){.msg_iov = &parts[index], .msg_iovlen = 1};
  }
  double start = seconds(), now = start;
  unsigned long long echoes = 0, lost = 0;
  send_all(fd, WINDOW);
  while ((now = seconds()) < start + length) {
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    if (poll(&wait, 1, SILENCE_MILLISECONDS) == 0) {
      lost += WINDOW;
      send_all(fd, WINDOW);
      continue;
    }
    int received = recvmmsg(fd, messages, WINDOW, MSG_DONTWAIT, NULL);
    if (received < 0) fail("recvmmsg");
    echoes += received;
    send_all(fd, received);
  }
  printf("%llu %.6f %llu\n", echoes, now - start, lost);
  return 0;
}
