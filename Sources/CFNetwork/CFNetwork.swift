/// Apple's module has the socket streams; here they are a module of their own.
@_exported public import SocketStreams
