internal import TLS

/// A certificate that signs itself and its key, made for the fuzzer and good for nothing else.
enum FuzzIdentity {
  static let certificate = """
    -----BEGIN CERTIFICATE-----
    MIIBqzCCAVKgAwIBAgIUK3sCx05BIYweWO+7A2OAwbZejHcwCgYIKoZIzj0EAwIw
    DzENMAsGA1UEAwwEZnV6ejAgFw0yNjEyMDEwNDM4NDdaGA8yMTI2MTEwNzA0Mzg0
    N1owDzENMAsGA1UEAwwEZnV6ejBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABN+Y
    yID/dvlSN6ws/TM+kB/+MnwiIiWOlQUEA9C+FEL+tACLM8xbV/P5q0s1Xzgok1xC
    qRaOojW0CBQtYra7VM+jgYkwgYYwHQYDVR0OBBYEFBqohGLSTHfQXQQIoST9DOOI
    Z12pMB8GA1UdIwQYMBaAFBqohGLSTHfQXQQIoST9DOOIZ12pMA8GA1UdEwEB/wQF
    MAMBAf8wFAYDVR0RBA0wC4IJbG9jYWxob3N0MB0GA1UdJQQWMBQGCCsGAQUFBwMB
    BggrBgEFBQcDAjAKBggqhkjOPQQDAgNHADBEAiAK7PjcoZQIaOe/iwcYdCHicEaw
    AeBMIyMEw6SCt3RQywIgKMfG0h1xh1p0F7Fx7Z27x9J62wpiTNjTCUZ2fFzxWz0=
    -----END CERTIFICATE-----
    """

  static let key = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgfglJQIhXbvc8u70t
    H0/NDFQSwL+uBIvMWafnTSQw1Z6hRANCAATfmMiA/3b5UjesLP0zPpAf/jJ8IiIl
    jpUFBAPQvhRC/rQAizPMW1fz+atLNV84KJNcQqkWjqI1tAgULWK2u1TP
    -----END PRIVATE KEY-----
    """
}
