/// Addresses, descriptors and errors of the system are part of this library's interface.
@_exported public import Kernel
@_exported public import Names
@_exported public import TLS
