// Bytes through descriptors.
//
// The calls of the data path are made directly: glibc's wrappers are cancellation points, which
// costs a relay of small messages more than its own code, and no thread here is ever cancelled.
#define _GNU_SOURCE
#include "CKernel.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <linux/tcp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define AGAIN_WHEN_INTERRUPTED(result, call) \
  do {                                       \
    result = (call);                         \
  } while (result < 0 && errno == EINTR);    \
  return result < 0 ? -errno : result

int adit_close(int fd) {
  // Linux has released the number even when close(2) reports EINTR: it is never tried again.
  return close(fd) < 0 && errno != EINTR ? -errno : 0;
}

int adit_duplicate(int fd) {
  int result = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  return result < 0 ? -errno : result;
}

int adit_pipe(int fds[2]) { return pipe2(fds, O_CLOEXEC | O_NONBLOCK) < 0 ? -errno : 0; }

int adit_pipe_set_capacity(int fd, int bytes) {
  int result = fcntl(fd, F_SETPIPE_SZ, bytes);
  return result < 0 ? -errno : result;
}

int adit_pipe_capacity(int fd) {
  int result = fcntl(fd, F_GETPIPE_SZ);
  return result < 0 ? -errno : result;
}

int adit_make_nonblocking(int fd) {
  int status = fcntl(fd, F_GETFL);
  if (status < 0 || fcntl(fd, F_SETFL, status | O_NONBLOCK) < 0) return -errno;
  int flags = fcntl(fd, F_GETFD);
  if (flags < 0 || fcntl(fd, F_SETFD, flags | FD_CLOEXEC) < 0) return -errno;
  return 0;
}

long adit_read(int fd, void *bytes, size_t count) {
  ssize_t result;
  AGAIN_WHEN_INTERRUPTED(result, read(fd, bytes, count));
}

long adit_write(int fd, const void *bytes, size_t count) {
  ssize_t result;
  AGAIN_WHEN_INTERRUPTED(result, write(fd, bytes, count));
}

long adit_receive(int fd, void *bytes, size_t count) {
  ssize_t result;
  AGAIN_WHEN_INTERRUPTED(
      result, syscall(SYS_recvfrom, fd, bytes, count, MSG_DONTWAIT, NULL, NULL));
}

long adit_peek(int fd, void *bytes, size_t count) {
  ssize_t result;
  AGAIN_WHEN_INTERRUPTED(result, recv(fd, bytes, count, MSG_DONTWAIT | MSG_PEEK));
}

long adit_send(int fd, const void *bytes, size_t count) {
  ssize_t result;
  AGAIN_WHEN_INTERRUPTED(
      result, syscall(SYS_sendto, fd, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT, NULL, 0));
}

long adit_send_urgent(int fd, unsigned char byte) {
  ssize_t result;
  AGAIN_WHEN_INTERRUPTED(result, send(fd, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT | MSG_OOB));
}

int adit_is_at_urgent_mark(int fd) {
  int result = sockatmark(fd);
  return result < 0 ? -errno : result;
}

long adit_splice(int from, int to, size_t count) {
  ssize_t result;
  AGAIN_WHEN_INTERRUPTED(
      result,
      syscall(SYS_splice, from, NULL, to, NULL, count, SPLICE_F_MOVE | SPLICE_F_NONBLOCK));
}

int adit_shutdown_write(int fd) { return shutdown(fd, SHUT_WR) < 0 ? -errno : 0; }

int adit_close_with_reset(int fd) {
  struct linger none = {.l_onoff = 1, .l_linger = 0};
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof none);
  return adit_close(fd);
}

int adit_unacknowledged(int fd) {
  int bytes = 0;
  return ioctl(fd, SIOCOUTQ, &bytes) < 0 ? -errno : bytes;
}

int adit_take_error(int fd) {
  int code = 0;
  socklen_t length = sizeof code;
  return getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &length) < 0 ? -errno : code;
}

int adit_peer_window_is_closed(int fd) {
  struct tcp_info info;
  socklen_t length = sizeof info;
  memset(&info, 0, sizeof info);
  if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) < 0) return -errno;
  // Zero-window probing is the only state in which bytes wait unsent while none is in flight.
  return info.tcpi_unacked == 0 && info.tcpi_notsent_bytes > 0;
}

long adit_find(const void *bytes, size_t count, const void *pattern, size_t pattern_count) {
  const char *found = memmem(bytes, count, pattern, pattern_count);
  return found == NULL ? -1 : found - (const char *)bytes;
}
