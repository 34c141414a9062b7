// The subcommands of adit-load. Each runs until its time is up, its standard input ends or a
// signal asks it to stop, and prints one JSON object on standard output.
#pragma once

#include "options.h"

int command_server(const struct options *options);
int command_requests(const struct options *options);
int command_connections(const struct options *options);
int command_idle(const struct options *options);
int command_bulk(const struct options *options);
int command_launch(int count, char **arguments);
