import Glibc
import Kernel

/// A plain file, which epoll refuses to watch.
struct PlainFile: ~Copyable {
  let descriptor: Descriptor

  init() throws(Errno) {
    let number = unsafe open("/proc/self/exe", O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { throw Errno(rawValue: errno) }
    descriptor = Descriptor(adopting: number)
  }
}
