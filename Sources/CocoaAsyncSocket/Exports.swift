/// The original's umbrella header brings Foundation and Dispatch along.
@_exported public import Dispatch
@_exported public import Foundation
@_exported public import Security
