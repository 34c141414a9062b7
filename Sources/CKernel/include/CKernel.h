// System calls and macros that `import Glibc` does not give to Swift.
//
// Every function that can fail returns a negative errno instead of setting it: nothing that Swift
// does between the call and the reading of the result can then change it. A call that a signal
// interrupted is made again here, in one place.
#ifndef ADIT_CKERNEL_H
#define ADIT_CKERNEL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

// Readiness.

/// One ready descriptor, as epoll_wait(2) reports it, without the packing of the kernel's struct.
struct adit_event {
  uint64_t data;
  uint32_t events;
};

/// epoll_create1(2), close-on-exec.
int adit_epoll_create(void);
/// epoll_ctl(2) EPOLL_CTL_ADD.
int adit_epoll_add(int epoll, int fd, uint32_t events, uint64_t data);
/// epoll_ctl(2) EPOLL_CTL_MOD.
int adit_epoll_modify(int epoll, int fd, uint32_t events, uint64_t data);
/// epoll_ctl(2) EPOLL_CTL_DEL.
int adit_epoll_delete(int epoll, int fd);
/// epoll_wait(2); an interrupted wait reports no event.
int adit_epoll_wait(int epoll, struct adit_event *events, int capacity, int timeout_ms);
/// eventfd(2), close-on-exec and non-blocking.
int adit_eventfd(void);
/// signalfd(2) for the given signal numbers, which are blocked in the calling thread.
int adit_signalfd(const int *signals, int count);
/// Reads one signal number from a signalfd; 0 when there is none.
int adit_signalfd_read(int fd);
/// timerfd_create(2) on the monotonic clock, never armed: a descriptor that is never ready.
int adit_quiet_descriptor(void);
/// Blocks every signal in the calling thread but those that report a fault in the program.
int adit_block_signals(void);
/// Ignores SIGPIPE in the whole process: splice(2) has no flag against it.
int adit_ignore_sigpipe(void);

// Descriptors.

int adit_close(int fd);
/// fcntl(2) F_DUPFD_CLOEXEC.
int adit_duplicate(int fd);
/// pipe2(2), close-on-exec and non-blocking.
int adit_pipe(int fds[2]);
/// fcntl(2) F_SETPIPE_SZ; the capacity that the kernel chose.
int adit_pipe_set_capacity(int fd, int bytes);
/// fcntl(2) F_GETPIPE_SZ.
int adit_pipe_capacity(int fd);
/// fcntl(2) O_NONBLOCK and FD_CLOEXEC on a descriptor that was inherited.
int adit_make_nonblocking(int fd);
long adit_read(int fd, void *bytes, size_t count);
long adit_write(int fd, const void *bytes, size_t count);

// Streams.

/// recv(2) with MSG_DONTWAIT.
long adit_receive(int fd, void *bytes, size_t count);
/// recv(2) with MSG_PEEK and MSG_DONTWAIT.
long adit_peek(int fd, void *bytes, size_t count);
/// send(2) with MSG_NOSIGNAL and MSG_DONTWAIT.
long adit_send(int fd, const void *bytes, size_t count);
/// send(2) of one byte as TCP's urgent one (MSG_OOB).
long adit_send_urgent(int fd, unsigned char byte);
/// sockatmark(3): 1 when the next byte to read is TCP's urgent one.
int adit_is_at_urgent_mark(int fd);
/// splice(2) with SPLICE_F_MOVE and SPLICE_F_NONBLOCK; never SPLICE_F_MORE, which corks.
long adit_splice(int from, int to, size_t count);
/// shutdown(2) SHUT_WR.
int adit_shutdown_write(int fd);
/// close(2) after SO_LINGER with zero seconds: the peer of a TCP connection sees a reset.
int adit_close_with_reset(int fd);
/// ioctl(2) SIOCOUTQ: bytes in the send queue that the peer has not acknowledged.
int adit_unacknowledged(int fd);
/// getsockopt(2) SO_ERROR: takes the pending error, 0 when there is none.
int adit_take_error(int fd);
/// True (1) while the peer of a TCP connection advertises no window and nothing else is in flight.
int adit_peer_window_is_closed(int fd);

// Sockets.

/// socket(2), close-on-exec and non-blocking.
int adit_socket(int family, int type);
int adit_bind(int fd, const void *address, socklen_t length);
int adit_listen(int fd, int backlog);
/// accept4(2), close-on-exec and non-blocking.
int adit_accept(int fd, void *address, socklen_t *length);
int adit_connect(int fd, const void *address, socklen_t length);
int adit_local_address(int fd, void *address, socklen_t *length);
int adit_remote_address(int fd, void *address, socklen_t *length);
int adit_set_option(int fd, int level, int name, int value);
int adit_option(int fd, int level, int name, int *value);

// Unix sockets.

/// getsockopt(2) SO_PEERCRED.
int adit_peer_credentials(int fd, int *process, unsigned *user, unsigned *group);
/// sendmsg(2) with SCM_RIGHTS: 1 to 253 descriptors with the first of the bytes.
long adit_send_descriptors(
    int fd, const void *bytes, size_t count, const int *descriptors, int descriptor_count);
/// recvmsg(2) that takes up to `capacity` descriptors, close-on-exec, and closes what is more.
long adit_receive_descriptors(
    int fd, void *bytes, size_t count, int *descriptors, int capacity, int *received);

// Datagrams.

/// What is known of one datagram of a batch beside its bytes.
struct adit_datagram {
  /// Where it came from or goes to; no bytes of it: to the connected peer.
  struct sockaddr_storage peer;
  uint32_t peer_length;
  /// Bytes in the slot, and bytes that the datagram had before it was cut.
  uint32_t length;
  uint32_t full_length;
  /// The interface it came in through or goes out by, 0 when none is told.
  uint32_t interface;
  /// UDP_GRO: bytes of each segment but the last, 0 for a datagram that is whole.
  uint32_t segment_size;
  /// SO_RXQ_OVFL: datagrams that the socket has dropped so far.
  uint32_t drops;
  /// This machine's address: of AF_INET or AF_INET6; AF_UNSPEC when none is told.
  uint16_t local_family;
  uint8_t local[16];
  uint8_t traffic_class;
  uint8_t has_drops;
};

/// Fixed slots for datagrams.
struct adit_batch;
/// Makes a batch; its payload takes no page before it is touched. NULL without memory.
struct adit_batch *adit_batch_create(int capacity, size_t slot_size);
void adit_batch_destroy(struct adit_batch *batch);
void *adit_batch_payload(const struct adit_batch *batch, int slot);
struct adit_datagram *adit_batch_datagram(const struct adit_batch *batch, int slot);
/// Gives the payload's pages back to the kernel.
void adit_batch_forget(const struct adit_batch *batch);
/// recvmmsg(2) with MSG_DONTWAIT into `limit` slots from `first` on; how many came.
int adit_batch_receive(struct adit_batch *batch, int fd, int first, int limit);
/// sendmmsg(2) with MSG_DONTWAIT of the slots from `first` up to `end`; how many slots were taken,
/// at least one. Those of one size that go the same way go by UDP_SEGMENT up to `longest_segment`
/// bytes each, which is lowered where the kernel refuses; they then go one by one. A slot that the
/// kernel has joined goes as it is.
int adit_batch_send(struct adit_batch *batch, int fd, int first, int end,
                    uint32_t *longest_segment);
/// sendmsg(2) with MSG_DONTWAIT of one datagram from the caller's memory.
int adit_datagram_send(int fd, const void *bytes, size_t count, const struct adit_datagram *to);
/// setsockopt(2) MCAST_JOIN_GROUP or MCAST_LEAVE_GROUP, for both families.
int adit_group(int fd, bool joins, uint32_t interface, const void *group, socklen_t length);
/// setsockopt(2) MCAST_JOIN_SOURCE_GROUP or MCAST_LEAVE_SOURCE_GROUP, for both families.
int adit_source_group(int fd, bool joins, uint32_t interface, const void *group,
                      const void *source, socklen_t length);
/// setsockopt(2) IP_MULTICAST_IF by index.
int adit_multicast_interface4(int fd, uint32_t interface);
/// setsockopt(2) SO_BINDTODEVICE; an empty name undoes it.
int adit_bind_to_device(int fd, const char *name);
/// connect(2) to nobody: a datagram socket takes datagrams of all again.
int adit_disconnect(int fd);

// Process.

/// Raises RLIMIT_NOFILE's soft limit to the hard one; the limit in force, or a negative errno.
long adit_raise_descriptor_limit(void);
/// Opens /dev/null for each of the descriptors 0, 1 and 2 that is closed.
int adit_open_standard_descriptors(void);
/// Starts a detached-from-signals thread that runs `body(context)`; name of up to 15 bytes.
int adit_thread_start(pthread_t *thread, const char *name, void (*body)(void *), void *context);
/// sysconf(3) _SC_NPROCESSORS_ONLN limited by sched_getaffinity(2).
int adit_processor_count(void);
/// clock_gettime(2) CLOCK_MONOTONIC in nanoseconds.
uint64_t adit_monotonic_nanoseconds(void);
/// clock_gettime(2) CLOCK_REALTIME in nanoseconds since 1970.
uint64_t adit_realtime_nanoseconds(void);
/// strerrorname_np(3), or NULL.
const char *adit_error_name(int code);
/// strerrordesc_np(3), or NULL.
const char *adit_error_description(int code);

/// memmem(3): where `pattern` first stands in `bytes`, or -1.
long adit_find(const void *bytes, size_t count, const void *pattern, size_t pattern_count);

// Memory that goes back to the kernel.

/// mmap(2) of anonymous memory that takes no page before it is touched; NULL on failure.
void *adit_reserve(size_t bytes);
void adit_unreserve(void *address, size_t bytes);
/// madvise(2) MADV_DONTNEED.
void adit_forget(void *address, size_t bytes);

#endif
