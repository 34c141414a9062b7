#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const options_summary =
    "--address 127.0.0.1 --port N --connections 64 --sources 1 --request-bytes 128 "
    "--response-bytes 512 --seconds 3 --warmup 0.3 --rate 0 --direction up|down";

static bool number(const char *text, double minimum, double maximum, double *value) {
  char *end;
  *value = strtod(text, &end);
  return end != text && *end == 0 && *value >= minimum && *value <= maximum;
}

static bool whole(const char *text, double minimum, double maximum, uint32_t *value) {
  double parsed;
  if (!number(text, minimum, maximum, &parsed)) return false;
  *value = (uint32_t)parsed;
  return true;
}

static bool set(struct options *options, const char *key, const char *text) {
  uint32_t port;
  if (!strcmp(key, "--address")) return (options->address = text) != NULL;
  if (!strcmp(key, "--port")) {
    if (!whole(text, 1, 65535, &port)) return false;
    options->port = (uint16_t)port;
    return true;
  }
  if (!strcmp(key, "--connections")) return whole(text, 1, 65535, &options->connections);
  if (!strcmp(key, "--sources")) return whole(text, 1, 200, &options->sources);
  if (!strcmp(key, "--request-bytes")) return whole(text, 1, 65536, &options->request_bytes);
  if (!strcmp(key, "--response-bytes")) return whole(text, 1, 65536, &options->response_bytes);
  if (!strcmp(key, "--seconds")) return number(text, 0.1, 600, &options->seconds);
  if (!strcmp(key, "--warmup")) return number(text, 0, 60, &options->warmup);
  if (!strcmp(key, "--rate")) return number(text, 0, 1e7, &options->rate);
  if (!strcmp(key, "--direction")) {
    options->download = strcmp(text, "down") == 0;
    return options->download || strcmp(text, "up") == 0;
  }
  return false;
}

bool options_parse(struct options *options, int count, char **arguments) {
  *options = (struct options){
      .address = "127.0.0.1", .connections = 64, .sources = 1, .request_bytes = 128,
      .response_bytes = 512, .seconds = 3, .warmup = 0.3,
  };
  for (int i = 0; i < count; i += 2) {
    if (i + 1 < count && set(options, arguments[i], arguments[i + 1])) continue;
    const char *value = i + 1 < count ? arguments[i + 1] : "(nothing)";
    fprintf(stderr, "adit-load: not understood: %s %s\nexpected: %s\n", arguments[i], value,
            options_summary);
    return false;
  }
  if (options->port == 0) fprintf(stderr, "adit-load: --port is needed\n");
  return options->port != 0;
}
