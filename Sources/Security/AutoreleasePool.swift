/// Runs `body`. Darwin empties a pool of objects afterwards; there is none here, and nothing to do.
public func autoreleasepool<Value, Failure: Error>(
  invoking body: () throws(Failure) -> Value
) throws(Failure) -> Value {
  try body()
}
