// The options that all subcommands share.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct options {
  const char *address;    // where to connect, or to listen
  uint16_t port;
  uint32_t connections;   // open at the same time
  uint32_t sources;       // loopback source addresses to spread over, 127.0.0.1 onwards
  uint32_t request_bytes;
  uint32_t response_bytes;
  double seconds;         // measured time
  double warmup;          // time before it, not measured
  double rate;            // offered per second; 0 is a closed loop
  bool download;          // bulk direction
};

extern const char *const options_summary;

/// Fills `options` with defaults and then from `arguments`; says what is wrong and returns false.
bool options_parse(struct options *options, int count, char **arguments);
