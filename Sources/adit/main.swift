import AditCommands
quickForward(CommandLine.arguments)
