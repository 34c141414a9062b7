internal import Reactor

extension Connection {
  /// Connects, gives the connection to `body`, and closes it when the body has returned, so that
  /// everything that was sent arrives; when it throws, the connection is reset.
  ///
  /// The body is isolated to the connection: what it does between two bytes runs on the event loop
  /// that the connection lives on, without a hop. It must not block the thread.
  public static func with<Value: Sendable>(
    _ host: String, port: UInt16, options: ConnectionOptions = ConnectionOptions(),
    _ body: @Sendable (isolated Connection) async throws -> Value
  ) async throws -> Value {
    let connection = try await connect(to: host, port: port, options: options)
    return try await withTaskExecutorPreference(connection.tasks) {
      do {
        let value = try await body(connection)
        await connection.close()
        return value
      } catch {
        await connection.abort()
        throw error
      }
    }
  }
}
