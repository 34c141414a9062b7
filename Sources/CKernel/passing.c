// What only unix sockets carry: descriptors and credentials.
#define _GNU_SOURCE
#include "CKernel.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

// The kernel's own limit, SCM_MAX_FD.
#define MOST_DESCRIPTORS 253

int adit_peer_credentials(int fd, int *process, unsigned *user, unsigned *group) {
  struct ucred peer;
  socklen_t length = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0) return -errno;
  *process = peer.pid;
  *user = peer.uid;
  *group = peer.gid;
  return 0;
}

long adit_send_descriptors(
    int fd, const void *bytes, size_t count, const int *descriptors, int descriptor_count) {
  if (descriptor_count < 1 || descriptor_count > MOST_DESCRIPTORS) return -EINVAL;
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(MOST_DESCRIPTORS * sizeof(int))];
  } control;
  memset(&control, 0, sizeof control);
  struct iovec piece = {.iov_base = (void *)bytes, .iov_len = count};
  size_t payload = (size_t)descriptor_count * sizeof(int);
  struct msghdr message = {
      .msg_iov = &piece,
      .msg_iovlen = 1,
      .msg_control = control.space,
      .msg_controllen = CMSG_SPACE(payload),
  };
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(payload);
  memcpy(CMSG_DATA(header), descriptors, payload);
  ssize_t result;
  do {
    result = sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  } while (result < 0 && errno == EINTR);
  return result < 0 ? -errno : result;
}

static void keep(
    const struct cmsghdr *header, int *descriptors, int capacity, int *received) {
  size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
  for (size_t index = 0; index < count; index++) {
    int fd;
    memcpy(&fd, CMSG_DATA(header) + index * sizeof(int), sizeof fd);
    if (*received < capacity) {
      descriptors[(*received)++] = fd;
    } else {
      close(fd);
    }
  }
}

long adit_receive_descriptors(
    int fd, void *bytes, size_t count, int *descriptors, int capacity, int *received) {
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(MOST_DESCRIPTORS * sizeof(int))];
  } control;
  struct iovec piece = {.iov_base = bytes, .iov_len = count};
  struct msghdr message = {
      .msg_iov = &piece,
      .msg_iovlen = 1,
      .msg_control = control.space,
      .msg_controllen = sizeof control.space,
  };
  *received = 0;
  ssize_t result;
  do {
    result = recvmsg(fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  } while (result < 0 && errno == EINTR);
  if (result < 0) return -errno;
  for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header != NULL;
       header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
      keep(header, descriptors, capacity, received);
    }
  }
  return result;
}
