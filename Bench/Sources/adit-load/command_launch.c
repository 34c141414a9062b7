// Starts a relay in place of this process: it dies with the benchmark, may open as many
// descriptors as the system allows, and can be handed a listening socket as systemd would.
#include "commands.h"
#include "sockets.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

// Descriptor 3 and the two variables are systemd's socket activation.
static bool inherit_listener(char *text) {
  char *colon = strrchr(text, ':');
  if (colon == NULL) return false;
  *colon = 0;
  int descriptor = sockets_listen(text, (uint16_t)atoi(colon + 1));
  if (descriptor < 0) return false;
  if (descriptor != 3 && dup2(descriptor, 3) < 0) return false;
  if (descriptor != 3) close(descriptor);
  fcntl(3, F_SETFD, 0);
  char identity[16];
  snprintf(identity, sizeof identity, "%d", getpid());
  setenv("LISTEN_PID", identity, 1);
  setenv("LISTEN_FDS", "1", 1);
  return true;
}

int command_launch(int count, char **arguments) {
  sockets_raise_limit();
  if (count > 2 && strcmp(arguments[0], "--listen") == 0) {
    if (!inherit_listener(arguments[1])) return 1;
    arguments += 2;
    count -= 2;
  }
  if (count < 2 || strcmp(arguments[0], "--") != 0) {
    fprintf(stderr, "usage: adit-load launch [--listen ADDRESS:PORT] -- PROGRAM …\n");
    return 2;
  }
  signal(SIGINT, SIG_DFL);  // The benchmark ignores these while it cleans up.
  signal(SIGTERM, SIG_DFL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  execvp(arguments[1], arguments + 1);
  fprintf(stderr, "adit-load: cannot run %s: %s\n", arguments[1], strerror(errno));
  return 127;
}
