// Sockets as every subcommand uses them: IPv4 loopback, no delay, many source addresses.
#pragma once

#include "options.h"

#include <sys/types.h>

/// Raises the soft descriptor limit to the hard one.
void sockets_raise_limit(void);

/// A listening non-blocking socket, or -1 with a message.
int sockets_listen(const char *address, uint16_t port);

/// Starts to connect from source address `index` modulo `options->sources`; -1 on failure.
/// A non-blocking socket may still be connecting when this returns.
int sockets_connect(const struct options *options, uint32_t index, bool blocking);

/// An epoll instance, or exit with a message.
int sockets_poller(void);

/// Watches `descriptor` with `events`; `key` comes back in the event.
void sockets_watch(int poller, int descriptor, uint32_t events, uint64_t key);

/// Changes what is watched.
void sockets_rewatch(int poller, int descriptor, uint32_t events, uint64_t key);
