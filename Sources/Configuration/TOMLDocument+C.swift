internal import CTOML

/// Parses a document. Its keys must have passed `deepKey(in:)`.
func parseTOML(_ bytes: [UInt8]) throws(TOMLSyntaxError) -> TOMLNode {
  // The bytes outlive the call, and the document keeps its own copy of what it needs.
  let document = unsafe bytes.withUnsafeBytes { buffer in
    unsafe adit_toml_parse(buffer.bindMemory(to: CChar.self).baseAddress, buffer.count)
  }
  // Everything below copies out of the document before it is freed.
  defer { unsafe adit_toml_free(document) }
  if unsafe adit_toml_failed(document) {
    let words = unsafe text(adit_toml_error(document))
    throw TOMLSyntaxError(words: words, place: place(unsafe adit_toml_error_place(document)))
  }
  var index = 0
  return unsafe node(document, &index).node
}

/// Reads the item at `index` with its children, which follow it, and moves `index` behind them.
/// It recurses as deep as the document nests, which `deepKey(in:)` and the shim's limit bound.
private func node(_ document: OpaquePointer, _ index: inout Int) -> TOMLEntry {
  // The items' counts come from the document itself, so `index` stays below `adit_toml_count`.
  let item = unsafe adit_toml_at(document, index)
  index += 1
  let value: TOMLValue
  switch unsafe item.kind {
  case ADIT_TOML_TABLE:
    value = .table((0..<(unsafe item.children)).map { _ in unsafe node(document, &index) })
  case ADIT_TOML_ARRAY:
    value = .array((0..<(unsafe item.children)).map { _ in unsafe node(document, &index).node })
  case ADIT_TOML_STRING: value = .string(unsafe text(item.string))
  case ADIT_TOML_INTEGER: value = .integer(unsafe item.integer)
  case ADIT_TOML_BOOLEAN: value = .boolean(unsafe item.boolean)
  case ADIT_TOML_FLOAT: value = .float
  case _: value = .dateTime
  }
  let key = unsafe text(item.key)
  return TOMLEntry(
    key: key, place: place(unsafe item.key_place),
    node: TOMLNode(value: value, place: place(unsafe item.place)))
}

private func text(_ text: adit_toml_text) -> String {
  // The document is alive while its text is copied.
  unsafe String(
    decoding: UnsafeRawBufferPointer(start: text.bytes, count: text.length), as: UTF8.self)
}

private func place(_ place: adit_toml_place) -> TOMLPlace {
  TOMLPlace(line: Int(place.line), column: Int(place.column))
}
