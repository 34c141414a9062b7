// Datagrams: batches of them in one call, with what the kernel tells beside each.
//
// A batch has fixed slots: payload, address and control bytes of each are allocated once, and
// nothing is allocated by receiving or sending.
#define _GNU_SOURCE
#include "CKernel.h"

#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif
#ifndef UDP_GRO
#define UDP_GRO 104
#endif

enum {
  // Packet information of both families, traffic class of both, segment size, drop counter.
  control_size = 256,
  // What the kernel takes at most for one call with UDP_SEGMENT.
  most_segments = 64,
  most_payload = 65507 - 48,
};

struct control {
  _Alignas(struct cmsghdr) unsigned char bytes[control_size];
};

struct adit_batch {
  int capacity;
  size_t slot_size;
  unsigned char *payload;
  struct mmsghdr *headers;
  struct iovec *vectors;
  struct control *controls;
  struct adit_datagram *datagrams;
  /// Slots that each message of a call carries.
  int *covered;
};

struct adit_batch *adit_batch_create(int capacity, size_t slot_size) {
  struct adit_batch *batch = calloc(1, sizeof *batch);
  if (batch == NULL) return NULL;
  size_t count = (size_t)capacity;
  batch->capacity = capacity;
  batch->slot_size = slot_size;
  batch->payload = adit_reserve(count * slot_size);
  batch->headers = calloc(count, sizeof *batch->headers);
  batch->vectors = calloc(count, sizeof *batch->vectors);
  batch->controls = calloc(count, sizeof *batch->controls);
  batch->datagrams = calloc(count, sizeof *batch->datagrams);
  batch->covered = calloc(count, sizeof *batch->covered);
  if (batch->payload == NULL || batch->headers == NULL || batch->vectors == NULL ||
      batch->controls == NULL || batch->datagrams == NULL || batch->covered == NULL) {
    adit_batch_destroy(batch);
    return NULL;
  }
  return batch;
}

void adit_batch_destroy(struct adit_batch *batch) {
  if (batch->payload != NULL) {
    adit_unreserve(batch->payload, (size_t)batch->capacity * batch->slot_size);
  }
  free(batch->headers);
  free(batch->vectors);
  free(batch->controls);
  free(batch->datagrams);
  free(batch->covered);
  free(batch);
}

void *adit_batch_payload(const struct adit_batch *batch, int slot) {
  return batch->payload + (size_t)slot * batch->slot_size;
}

struct adit_datagram *adit_batch_datagram(const struct adit_batch *batch, int slot) {
  return &batch->datagrams[slot];
}

void adit_batch_forget(const struct adit_batch *batch) {
  adit_forget(batch->payload, (size_t)batch->capacity * batch->slot_size);
}

// Receiving.

static void read_network_control(struct cmsghdr *header, struct adit_datagram *datagram) {
  const unsigned char *data = CMSG_DATA(header);
  if (header->cmsg_level == IPPROTO_IP && header->cmsg_type == IP_PKTINFO) {
    struct in_pktinfo info;
    memcpy(&info, data, sizeof info);
    datagram->interface = (uint32_t)info.ipi_ifindex;
    datagram->local_family = AF_INET;
    memcpy(datagram->local, &info.ipi_addr, sizeof info.ipi_addr);
  } else if (header->cmsg_level == IPPROTO_IPV6 && header->cmsg_type == IPV6_PKTINFO) {
    struct in6_pktinfo info;
    memcpy(&info, data, sizeof info);
    datagram->interface = info.ipi6_ifindex;
    datagram->local_family = AF_INET6;
    memcpy(datagram->local, &info.ipi6_addr, sizeof info.ipi6_addr);
  } else if (header->cmsg_level == IPPROTO_IP && header->cmsg_type == IP_TOS) {
    datagram->traffic_class = data[0];
  } else if (header->cmsg_level == IPPROTO_IPV6 && header->cmsg_type == IPV6_TCLASS) {
    int value;
    memcpy(&value, data, sizeof value);
    datagram->traffic_class = (uint8_t)value;
  }
}

static void read_control(struct msghdr *message, struct adit_datagram *datagram) {
  for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header != NULL;
       header = CMSG_NXTHDR(message, header)) {
    if (header->cmsg_level == SOL_SOCKET && header->cmsg_type == SO_RXQ_OVFL) {
      memcpy(&datagram->drops, CMSG_DATA(header), sizeof datagram->drops);
      datagram->has_drops = 1;
    } else if (header->cmsg_level == IPPROTO_UDP && header->cmsg_type == UDP_GRO) {
      int size;
      memcpy(&size, CMSG_DATA(header), sizeof size);
      datagram->segment_size = (uint32_t)size;
    } else {
      read_network_control(header, datagram);
    }
  }
}

static void prepare_slot(struct adit_batch *batch, int slot) {
  struct msghdr *message = &batch->headers[slot].msg_hdr;
  batch->vectors[slot].iov_base = adit_batch_payload(batch, slot);
  batch->vectors[slot].iov_len = batch->slot_size;
  message->msg_name = &batch->datagrams[slot].peer;
  message->msg_namelen = sizeof batch->datagrams[slot].peer;
  message->msg_iov = &batch->vectors[slot];
  message->msg_iovlen = 1;
  message->msg_control = &batch->controls[slot];
  message->msg_controllen = control_size;
  message->msg_flags = 0;
}

int adit_batch_receive(struct adit_batch *batch, int fd, int first, int limit) {
  for (int slot = first; slot < first + limit; slot++) prepare_slot(batch, slot);
  int count;
  do {
    // MSG_TRUNC makes the kernel tell the length that a cut datagram had.
    count = recvmmsg(fd, batch->headers + first, (unsigned)limit, MSG_DONTWAIT | MSG_TRUNC, NULL);
  } while (count < 0 && errno == EINTR);
  if (count < 0) return -errno;
  for (int slot = first; slot < first + count; slot++) {
    struct adit_datagram *datagram = &batch->datagrams[slot];
    struct msghdr *message = &batch->headers[slot].msg_hdr;
    size_t full = batch->headers[slot].msg_len;
    datagram->peer_length = message->msg_namelen;
    datagram->full_length = (uint32_t)full;
    datagram->length = (uint32_t)(full < batch->slot_size ? full : batch->slot_size);
    datagram->local_family = AF_UNSPEC;
    datagram->interface = 0;
    datagram->segment_size = 0;
    datagram->traffic_class = 0;
    datagram->has_drops = 0;
    read_control(message, datagram);
  }
  return count;
}

// Sending.

static void *add_control(struct msghdr *message, int level, int type, size_t size) {
  struct cmsghdr *header =
      (struct cmsghdr *)((unsigned char *)message->msg_control + message->msg_controllen);
  memset(header, 0, CMSG_SPACE(size));
  header->cmsg_level = level;
  header->cmsg_type = type;
  header->cmsg_len = CMSG_LEN(size);
  message->msg_controllen += CMSG_SPACE(size);
  return CMSG_DATA(header);
}

/// Writes the source address, the interface and the size of a segment, as far as they are given.
static void write_control(struct msghdr *message, const struct adit_datagram *datagram,
                          size_t segment_size) {
  message->msg_controllen = 0;
  if (datagram->local_family == AF_INET) {
    struct in_pktinfo info = {.ipi_ifindex = (int)datagram->interface};
    memcpy(&info.ipi_spec_dst, datagram->local, sizeof info.ipi_spec_dst);
    memcpy(add_control(message, IPPROTO_IP, IP_PKTINFO, sizeof info), &info, sizeof info);
  } else if (datagram->local_family == AF_INET6) {
    struct in6_pktinfo info = {.ipi6_ifindex = datagram->interface};
    memcpy(&info.ipi6_addr, datagram->local, sizeof info.ipi6_addr);
    memcpy(add_control(message, IPPROTO_IPV6, IPV6_PKTINFO, sizeof info), &info, sizeof info);
  }
  if (segment_size > 0) {
    uint16_t size = (uint16_t)segment_size;
    memcpy(add_control(message, IPPROTO_UDP, UDP_SEGMENT, sizeof size), &size, sizeof size);
  }
  if (message->msg_controllen == 0) message->msg_control = NULL;
}

static bool goes_the_same_way(const struct adit_datagram *a, const struct adit_datagram *b) {
  return a->peer_length == b->peer_length && memcmp(&a->peer, &b->peer, a->peer_length) == 0 &&
         a->local_family == b->local_family && a->interface == b->interface &&
         memcmp(a->local, b->local, sizeof a->local) == 0;
}

/// The kernel has joined several datagrams in this slot (UDP_GRO), and cuts them again.
static bool is_joined(const struct adit_datagram *datagram) {
  return datagram->segment_size > 0 && datagram->length > datagram->segment_size;
}

/// How many slots from `first` on one call with UDP_SEGMENT can carry: all as long as the first,
/// but the last may be shorter.
static int run_length(const struct adit_batch *batch, int first, int end, uint32_t longest) {
  const struct adit_datagram *head = &batch->datagrams[first];
  size_t total = head->length;
  int count = 1;
  if (head->length == 0 || head->length > longest || is_joined(head)) return 1;
  while (first + count < end && count < most_segments) {
    const struct adit_datagram *next = &batch->datagrams[first + count];
    if (next->length == 0 || next->length > head->length || is_joined(next)) break;
    if (total + next->length > most_payload || !goes_the_same_way(head, next)) break;
    total += next->length;
    count += 1;
    if (next->length < head->length) break;
  }
  return count;
}

static int fill_messages(struct adit_batch *batch, int first, int end, uint32_t longest) {
  int messages = 0;
  for (int slot = first; slot < end; messages++) {
    struct adit_datagram *datagram = &batch->datagrams[slot];
    struct msghdr *message = &batch->headers[messages].msg_hdr;
    int run = run_length(batch, slot, end, longest);
    for (int place = slot; place < slot + run; place++) {
      batch->vectors[place].iov_base = adit_batch_payload(batch, place);
      batch->vectors[place].iov_len = batch->datagrams[place].length;
    }
    message->msg_name = datagram->peer_length > 0 ? &datagram->peer : NULL;
    message->msg_namelen = datagram->peer_length;
    message->msg_iov = &batch->vectors[slot];
    message->msg_iovlen = (size_t)run;
    message->msg_control = &batch->controls[messages];
    message->msg_flags = 0;
    size_t whole = is_joined(datagram) ? datagram->segment_size : 0;
    write_control(message, datagram, run > 1 ? datagram->length : whole);
    batch->covered[messages] = run;
    slot += run;
  }
  return messages;
}

static int send_messages(struct adit_batch *batch, int fd, int messages) {
  int count;
  do {
    count = sendmmsg(fd, batch->headers, (unsigned)messages, MSG_DONTWAIT | MSG_NOSIGNAL);
  } while (count < 0 && errno == EINTR);
  if (count < 0) return -errno;
  int slots = 0;
  for (int message = 0; message < count; message++) slots += batch->covered[message];
  return slots;
}

int adit_batch_send(struct adit_batch *batch, int fd, int first, int end,
                    uint32_t *longest_segment) {
  int messages = fill_messages(batch, first, end, *longest_segment);
  bool is_segmented = batch->covered[0] > 1;
  int sent = send_messages(batch, fd, messages);
  // A segment above the path's MTU, or a device that cannot: one by one, as without UDP_SEGMENT.
  bool is_too_long = sent == -EINVAL || sent == -EMSGSIZE;
  bool is_refused = sent == -EIO || sent == -EOPNOTSUPP || sent == -ENOPROTOOPT;
  if (!is_segmented || !(is_too_long || is_refused)) return sent;
  *longest_segment = is_too_long ? batch->datagrams[first].length - 1 : 0;
  int run_end = first + batch->covered[0];
  return send_messages(batch, fd, fill_messages(batch, first, run_end, 0));
}

int adit_datagram_send(int fd, const void *bytes, size_t count,
                       const struct adit_datagram *to) {
  struct control control;
  struct iovec vector = {.iov_base = (void *)bytes, .iov_len = count};
  struct msghdr message = {
      .msg_name = to->peer_length > 0 ? (void *)&to->peer : NULL,
      .msg_namelen = to->peer_length,
      .msg_iov = &vector,
      .msg_iovlen = 1,
      .msg_control = &control,
  };
  write_control(&message, to, 0);
  ssize_t result;
  do {
    result = sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  } while (result < 0 && errno == EINTR);
  return result < 0 ? -errno : 0;
}

// Groups and interfaces.

static int level_of(const struct sockaddr_storage *address) {
  return address->ss_family == AF_INET6 ? IPPROTO_IPV6 : IPPROTO_IP;
}

int adit_group(int fd, bool joins, uint32_t interface, const void *group, socklen_t length) {
  struct group_req request = {.gr_interface = interface};
  memcpy(&request.gr_group, group, length);
  int name = joins ? MCAST_JOIN_GROUP : MCAST_LEAVE_GROUP;
  return setsockopt(fd, level_of(&request.gr_group), name, &request, sizeof request) < 0 ? -errno
                                                                                         : 0;
}

int adit_source_group(int fd, bool joins, uint32_t interface, const void *group,
                      const void *source, socklen_t length) {
  struct group_source_req request = {.gsr_interface = interface};
  memcpy(&request.gsr_group, group, length);
  memcpy(&request.gsr_source, source, length);
  int name = joins ? MCAST_JOIN_SOURCE_GROUP : MCAST_LEAVE_SOURCE_GROUP;
  return setsockopt(fd, level_of(&request.gsr_group), name, &request, sizeof request) < 0 ? -errno
                                                                                          : 0;
}

int adit_multicast_interface4(int fd, uint32_t interface) {
  struct ip_mreqn request = {.imr_ifindex = (int)interface};
  int result = setsockopt(fd, IPPROTO_IP, IP_MULTICAST_IF, &request, sizeof request);
  return result < 0 ? -errno : 0;
}

int adit_bind_to_device(int fd, const char *name) {
  int result = setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, name, (socklen_t)strlen(name));
  return result < 0 ? -errno : 0;
}

int adit_disconnect(int fd) {
  struct sockaddr nobody = {.sa_family = AF_UNSPEC};
  return connect(fd, &nobody, sizeof nobody) < 0 ? -errno : 0;
}
