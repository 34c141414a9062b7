/// One thing that is measured, the same for every relay.
enum Scenario {
  case bulk(streams: Int, down: Bool)
  case http
  case requests(Offer)
  case connections(Offer)
  case idle(connections: Int)

  /// How much load is offered.
  enum Offer {
    /// A closed loop: as much as goes.
    case peak
    /// Half of the slowest serious peer's peak: the rate at which processor time is compared.
    case fixed(Int)
    /// Half of the best peer's peak: the rate at which latency is compared.
    case half(Int)

    var rate: Int {
      switch self {
      case .peak: 0
      case .fixed(let rate), .half(let rate): rate
      }
    }

    fileprivate var name: String {
      switch self {
      case .peak: "peak"
      case .fixed: "fixed"
      case .half: "half"
      }
    }
  }

  /// The key of its results.
  var identifier: String {
    switch self {
    case .bulk(let streams, let down): "bulk-\(streams)-\(down ? "down" : "up")"
    case .http: "http"
    case .requests(let offer): "requests-\(offer.name)"
    case .connections(let offer): "connections-\(offer.name)"
    case .idle: "idle"
    }
  }
}
