import AditCommands

@main
struct Adit {
  static func main() {
    AditCommand.main(CommandLine.arguments)
  }
}
