package import TLS

/// What a chain of certificates is to be good for.
public final class SecPolicy: Sendable {
  package let purpose: ChainPurpose

  package init(_ purpose: ChainPurpose) {
    self.purpose = purpose
  }
}

/// For TLS: the chain of a server, of this name where one is given, or that of a client.
public func SecPolicyCreateSSL(_ server: Bool, _ hostname: CFString?) -> SecPolicy {
  SecPolicy(server ? .server(hostName: hostname.map { $0 as String }) : .client)
}

/// For anything.
public func SecPolicyCreateBasicX509() -> SecPolicy { SecPolicy(.any) }
