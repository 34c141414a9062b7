// Sockets and their options.
#define _GNU_SOURCE
#include "CKernel.h"

#include <errno.h>
#include <sys/socket.h>

int adit_socket(int family, int type) {
  int fd = socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  return fd < 0 ? -errno : fd;
}

int adit_bind(int fd, const void *address, socklen_t length) {
  return bind(fd, address, length) < 0 ? -errno : 0;
}

int adit_listen(int fd, int backlog) { return listen(fd, backlog) < 0 ? -errno : 0; }

int adit_accept(int fd, void *address, socklen_t *length) {
  int result;
  do {
    result = accept4(fd, address, length, SOCK_CLOEXEC | SOCK_NONBLOCK);
  } while (result < 0 && errno == EINTR);
  return result < 0 ? -errno : result;
}

int adit_connect(int fd, const void *address, socklen_t length) {
  return connect(fd, address, length) < 0 ? -errno : 0;
}

int adit_local_address(int fd, void *address, socklen_t *length) {
  return getsockname(fd, address, length) < 0 ? -errno : 0;
}

int adit_remote_address(int fd, void *address, socklen_t *length) {
  return getpeername(fd, address, length) < 0 ? -errno : 0;
}

int adit_set_option(int fd, int level, int name, int value) {
  return setsockopt(fd, level, name, &value, sizeof value) < 0 ? -errno : 0;
}

int adit_option(int fd, int level, int name, int *value) {
  socklen_t length = sizeof *value;
  return getsockopt(fd, level, name, value, &length) < 0 ? -errno : 0;
}
