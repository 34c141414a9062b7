// Written as people write for Darwin, which the house does not.
// swift-format-ignore-file

import CFNetwork
import Foundation

/// Call sites in the forms that are found in public code, one a method. That they compile is the
/// better part of the test.
public final class Idioms: NSObject, StreamDelegate {
  public var inputStream: InputStream?
  public var outputStream: OutputStream?
  public let queue = DispatchQueue(label: "idioms")
  public var clientEvents: [CFStreamEventType] = []

  private func take(_ read: Unmanaged<CFReadStream>?, _ write: Unmanaged<CFWriteStream>?) {
    inputStream = read!.takeRetainedValue()
    outputStream = write!.takeRetainedValue()
  }

  /// The host as an NSString, no allocator, TLS by a level, events on a queue.
  public func webSocketLibrary(_ url: URL, port: Int) {
    var readStream: Unmanaged<CFReadStream>?
    var writeStream: Unmanaged<CFWriteStream>?
    let h = url.host! as NSString
    CFStreamCreatePairWithSocketToHost(nil, h, UInt32(port), &readStream, &writeStream)
    take(readStream, writeStream)
    guard let inStream = inputStream, let outStream = outputStream else { return }
    let key = CFStreamPropertyKey(rawValue: kCFStreamPropertySocketSecurityLevel)
    CFReadStreamSetProperty(inStream, key, kCFStreamSocketSecurityLevelNegotiatedSSL)
    CFWriteStreamSetProperty(outStream, key, kCFStreamSocketSecurityLevelNegotiatedSSL)
    CFReadStreamSetDispatchQueue(inStream, queue)
    CFWriteStreamSetDispatchQueue(outStream, queue)
  }

  /// What such a library asks of the peer's trust.
  public func securityData() -> (SecTrust?, String?) {
    guard let outputStream = outputStream else { return (nil, nil) }
    let trust =
      outputStream.property(forKey: kCFStreamPropertySSLPeerTrust as Stream.PropertyKey)
      as! SecTrust?
    var domain =
      outputStream.property(forKey: kCFStreamSSLPeerName as Stream.PropertyKey) as! String?
    if domain == nil,
      let sslContextOut = CFWriteStreamCopyProperty(
        outputStream, CFStreamPropertyKey(rawValue: kCFStreamPropertySSLContext)) as! SSLContext?
    {
      var peerNameLen: Int = 0
      SSLGetPeerDomainNameLength(sslContextOut, &peerNameLen)
      var peerName = Data(count: peerNameLen)
      let _ = peerName.withUnsafeMutableBytes { (peerNamePtr: UnsafeMutablePointer<Int8>) in
        SSLGetPeerDomainName(sslContextOut, peerNamePtr, &peerNameLen)
      }
      if let peerDomain = String(bytes: peerName, encoding: .utf8), peerDomain.count > 0 {
        domain = peerDomain
      }
    }
    return (trust, domain)
  }

  /// An older form, with objects only and cipher suites left alone.
  public func olderLibrary(_ inStream: InputStream, hostname: String?) {
    inStream.setProperty(
      StreamSocketSecurityLevel.negotiatedSSL as AnyObject,
      forKey: Stream.PropertyKey.socketSecurityLevelKey)
    var settings = [NSObject: NSObject]()
    settings[kCFStreamSSLValidatesCertificateChain] = NSNumber(value: false)
    if let hostname {
      settings[kCFStreamSSLPeerName] = hostname as NSString
    } else {
      settings[kCFStreamSSLPeerName] = kCFNull
    }
    inStream.setProperty(settings, forKey: kCFStreamPropertySSLSettings as Stream.PropertyKey)
  }

  /// The settings' dictionary in its many forms.
  public func settings(_ stream: Stream, host: String, isSelfSigned: Bool) {
    let first: [String: Any] = [
      kCFStreamSSLLevel as String: kCFStreamSocketSecurityLevelNegotiatedSSL,
      kCFStreamSSLPeerName as String: host,
      kCFStreamSSLValidatesCertificateChain as String:
        (isSelfSigned ? kCFBooleanFalse : kCFBooleanTrue) as Any,
    ]
    stream.setProperty(first, forKey: .init(kCFStreamPropertySSLSettings as String))
    let second: [AnyHashable: Any] = [
      kCFStreamSSLValidatesCertificateChain: kCFBooleanFalse as Any
    ]
    let key = kCFStreamPropertySSLSettings as String
    stream.setProperty(second, forKey: Stream.PropertyKey(key))
    let third: [NSString: Any] = [
      NSString(format: kCFStreamSSLValidatesCertificateChain): kCFBooleanFalse!,
      NSString(format: kCFStreamSSLPeerName): kCFNull!,
      NSString(format: kCFStreamSSLIsServer): kCFBooleanFalse!,
    ]
    stream.setProperty(third, forKey: kCFStreamPropertySSLSettings as Stream.PropertyKey)
    let fourth = NSMutableDictionary()
    fourth.setObject(
      StreamSocketSecurityLevel.negotiatedSSL.rawValue, forKey: kCFStreamSSLLevel as NSString)
    fourth.setObject(host, forKey: kCFStreamSSLPeerName as NSString)
    stream.setProperty(
      fourth, forKey: Stream.PropertyKey(rawValue: kCFStreamPropertySSLSettings as String))
    stream.setProperty(
      [kCFStreamSSLPeerName as String: host] as CFDictionary,
      forKey: kCFStreamPropertySSLSettings as Stream.PropertyKey)
  }

  /// The security level in its forms.
  public func levels(_ stream: Stream) {
    stream.setProperty(
      StreamSocketSecurityLevel.negotiatedSSL.rawValue, forKey: .socketSecurityLevelKey)
    stream.setProperty(StreamSocketSecurityLevel.negotiatedSSL, forKey: .socketSecurityLevelKey)
    _ = stream.setProperty(
      StreamSocketSecurityLevel.tlSv1.rawValue as AnyObject?,
      forKey: Stream.PropertyKey.socketSecurityLevelKey)
    stream.setProperty(
      "kCFStreamSocketSecurityLevelTLSv1_2",
      forKey: kCFStreamPropertySocketSecurityLevel as Stream.PropertyKey)
    stream.setProperty(
      StreamNetworkServiceTypeValue.voice.rawValue, forKey: Stream.PropertyKey.networkServiceType)
  }

  /// A socket of one's own.
  public func native(_ handle: CFSocketNativeHandle) {
    var readStream: Unmanaged<CFReadStream>?
    var writeStream: Unmanaged<CFWriteStream>?
    CFStreamCreatePairWithSocket(kCFAllocatorDefault, handle, &readStream, &writeStream)
    take(readStream, writeStream)
    let key = Stream.PropertyKey(rawValue: kCFStreamPropertyShouldCloseNativeSocket as String)
    inputStream?.setProperty(kCFBooleanTrue, forKey: key)
    outputStream?.setProperty(kCFBooleanTrue, forKey: key)
    CFReadStreamSetProperty(
      inputStream, CFStreamPropertyKey(kCFStreamPropertyShouldCloseNativeSocket), kCFBooleanTrue)
  }

  /// The number of the socket.
  public func handle(of stream: Stream) -> CFSocketNativeHandle? {
    let key = Stream.PropertyKey(rawValue: kCFStreamPropertySocketNativeHandle as String)
    guard let data = stream.property(forKey: key) as? Data else { return nil }
    return data.withUnsafeBytes { $0.load(as: CFSocketNativeHandle.self) }
  }

  /// One direction only.
  public func outputOnly(host: String, port: UInt32) {
    var writeStream: Unmanaged<CFWriteStream>?
    CFStreamCreatePairWithSocketToHost(nil, host as CFString, port, nil, &writeStream)
    outputStream = writeStream?.takeRetainedValue()
    Stream.getStreamsToHost(
      withName: host, port: Int(port), inputStream: nil, outputStream: &outputStream)
    Stream.getStreamsToHost(
      withName: host, port: Int(port), inputStream: &inputStream, outputStream: nil)
  }

  /// A pair without a socket.
  public func bound() {
    var readStream: Unmanaged<CFReadStream>?
    var writeStream: Unmanaged<CFWriteStream>?
    CFStreamCreateBoundPair(nil, &readStream, &writeStream, 4096)
    take(readStream, writeStream)
    Stream.getBoundStreams(
      withBufferSize: 4096, inputStream: &inputStream, outputStream: &outputStream)
  }

  /// A proxy in both of its names.
  public func proxy(_ stream: Stream, host: String, port: Int) {
    let settings: [String: Any] = [
      kCFStreamPropertySOCKSProxyHost as String: host,
      kCFStreamPropertySOCKSProxyPort as String: port,
      kCFStreamPropertySOCKSVersion as String: kCFStreamSocketSOCKSVersion5,
    ]
    stream.setProperty(settings, forKey: kCFStreamPropertySOCKSProxy as Stream.PropertyKey)
    stream.setProperty(
      [
        StreamSOCKSProxyConfiguration.hostKey.rawValue: host,
        StreamSOCKSProxyConfiguration.portKey.rawValue: port,
      ] as [String: Any], forKey: .socksProxyConfigurationKey)
  }

  /// Core Foundation's functions, with a client and a run loop.
  public func coreFoundation(_ stream: CFReadStream) -> Bool {
    var context = CFStreamClientContext(
      version: 0, info: Unmanaged.passUnretained(self).toOpaque(), retain: nil, release: nil,
      copyDescription: nil)
    let events: CFStreamEventType = [.openCompleted, .hasBytesAvailable, .endEncountered]
    let isSet = CFReadStreamSetClient(
      stream, events.rawValue,
      { (stream, event, info) in
        let this = Unmanaged<Idioms>.fromOpaque(info!).takeUnretainedValue()
        this.clientEvents.append(event)
      }, &context)
    CFReadStreamScheduleWithRunLoop(stream, CFRunLoopGetCurrent(), CFRunLoopMode.commonModes)
    return isSet && CFReadStreamOpen(stream) && CFReadStreamGetStatus(stream) != .error
  }
}
