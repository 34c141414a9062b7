internal import Configuration
internal import Kernel
internal import Reactor
internal import Relay

// A reload, in order:
//
// 1. a thread of its own reads and checks the file, so that no loop waits for a disk;
// 2. back on the loop, what is wrong is told and nothing changes, or the difference is worked out;
// 3. new listeners are opened; when one cannot be, those opened are closed and nothing changes;
// 4. kept listeners get their new tunnel, those that are gone are closed; flows live on.
extension Forwarding {
  /// A signal asked for the file to be read again.
  func reload() {
    guard case .file(let path) = arguments.source else {
      return log.tell(
        .warning("reload-empty", "nothing to reload: the tunnels are not from a --config file"))
    }
    guard isRunning else { return }
    if isReloading {
      mustReloadAgain = true
      return
    }
    isReloading = true
    notify { () throws(Errno) in try service.reloading(at: Instant.now()) }
    do {
      reloadThread = try KernelThread(name: "adit-reload") { [self] in
        let result = Result { () throws(FileError) in try ConfigurationFile.read(path) }
        loop.post { [self] in finishReload(result, of: path) }
      }
    } catch {
      finishReload(.failure(.unreadable(path: path, error)), of: path)
    }
  }

  private func finishReload(_ result: Result<ConfigurationFile, FileError>, of path: String) {
    // It has posted this and ends.
    reloadThread.take()?.join()
    isReloading = false
    guard isRunning else { return }
    switch result {
    case .success(let file): apply(file, from: path)
    case .failure(let error):
      for report in error.reports { log.tell(report.message) }
      tellNothingChanged(path)
    }
    notify { () throws(Errno) in try service.ready(status: status) }
    if mustReloadAgain {
      mustReloadAgain = false
      reload()
    }
  }

  private func apply(_ file: ConfigurationFile, from path: String) {
    let plan = ReloadPlan(from: tunnels, to: file.tunnels)
    do {
      try open(plan)
    } catch {
      log.tell(ErrorReport(error).message)
      return tellNothingChanged(path)
    }
    for assignment in plan.updated {
      for listener in listeners[assignment.key]?.listeners ?? [] {
        if assignment.key.listen.isDatagram {
          relay.update(listener, to: DatagramTunnel(assignment.tunnel))
        } else {
          relay.update(listener, to: StreamTunnel(assignment.tunnel, at: assignment.key.listen))
        }
      }
    }
    for key in plan.closed { listeners.removeValue(forKey: key)?.close(in: relay) }
    tunnels = file.tunnels
    announce(plan.opened)
    tell(plan, of: path)
    adopt(arguments.process(over: file.process))
  }

  private func tellNothingChanged(_ path: String) {
    log.tell(
      .error(
        "reload-refused", "\(path) was not loaded; everything goes on as before",
        ["file": .string(path)]))
  }

  private func tell(_ plan: ReloadPlan, of path: String) {
    log.tell(
      .info(
        "reloaded", "reloaded \(path): \(plan.summary)",
        [
          "file": .string(path), "added": JSONValue(plan.added),
          "changed": JSONValue(plan.changed), "removed": JSONValue(plan.removed),
          "unchanged": JSONValue(plan.unchanged),
        ]))
    for name in plan.bound {
      log.tell(
        .warning(
          "reload-later",
          "tunnel \(name): keepalive, user-timeout, no-delay, backlog and receive-buffer reach"
            + " clients when their listener is opened anew, at the next start",
          ["tunnel": .string(name)]))
    }
  }

  /// Of what holds for the process, only the time to drain can change while it runs.
  private func adopt(_ wanted: ProcessConfiguration) {
    let later = ProcessConfiguration.keys.filter { key in
      key.name != "drain-timeout" && key.texts(wanted) != key.texts(process)
    }
    process.drainTimeout = wanted.drainTimeout
    for key in later {
      log.tell(
        .warning(
          "reload-later", "process.\(key.name) takes effect at the next start",
          ["key": .string("process.\(key.name)")]))
    }
  }
}

extension JSONValue {
  /// Strings in order.
  init(_ texts: [String]) { self = .array(texts.map { .string($0) }) }
}
