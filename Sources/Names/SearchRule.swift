/// Whether a name is also looked for in the search domains of the configuration.
enum SearchRule: Hashable, Sendable {
  /// The name stands for itself.
  case never
  /// When the name as it stands does not exist.
  case afterwards
  /// The search comes first and tries the name as it stands last.
  case only

  /// `leastDots` is the configuration's `ndots`: a name with fewer is searched for first.
  init(_ name: DomainName, hasDomains: Bool, leastDots: Int) {
    if name.isAbsolute || !hasDomains {
      self = .never
    } else {
      self = name.dots >= leastDots ? .afterwards : .only
    }
  }
}
