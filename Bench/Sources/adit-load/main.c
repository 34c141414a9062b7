// adit-load: the load and the servers of the benchmark, one thread a process, nothing shared with
// the code under test.
#include "commands.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

struct command {
  const char *name;
  int (*run)(const struct options *options);
  const char *summary;
};

static const struct command commands[] = {
    {"server", command_server, "answers on one port: exchanges, HTTP, bulk in and out"},
    {"requests", command_requests, "exchanges on connections that stay open"},
    {"connections", command_connections, "a connection for each exchange"},
    {"idle", command_idle, "opens connections and holds them until standard input ends"},
    {"bulk", command_bulk, "streams bytes up or down"},
};

static int usage(void) {
  fprintf(stderr, "usage: adit-load COMMAND [--option VALUE …]\n");
  for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
    fprintf(stderr, "  %-12s %s\n", commands[i].name, commands[i].summary);
  }
  fprintf(stderr, "  %-12s %s\n", "launch", "[--listen ADDRESS:PORT] -- PROGRAM …: runs a relay");
  fprintf(stderr, "options: %s\n", options_summary);
  return 2;
}

int main(int count, char **arguments) {
  if (count < 2) return usage();
  if (strcmp(arguments[1], "launch") == 0) return command_launch(count - 2, arguments + 2);
  for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
    if (strcmp(arguments[1], commands[i].name) != 0) continue;
    struct options options;
    if (!options_parse(&options, count - 2, arguments + 2)) return 2;
    signal(SIGPIPE, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // Nothing of ours outlives the benchmark.
    prctl(PR_SET_TIMERSLACK, 1UL);     // Sends happen when they are due, not 50 µs later.
    return commands[i].run(&options);
  }
  return usage();
}
