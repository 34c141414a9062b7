public import Foundation

// CoreFoundation's names for Foundation's classes, so that `data as CFData` and `"name" as
// CFString` mean what they mean on Darwin.

/// Bytes.
public typealias CFData = NSData
/// Text.
public typealias CFString = NSString
/// A list.
public typealias CFArray = NSArray
/// A table.
public typealias CFDictionary = NSDictionary
/// A moment.
public typealias CFDate = NSDate
/// Why something failed.
public typealias CFError = NSError
/// Any object.
public typealias CFTypeRef = AnyObject
/// A count or a place in a list.
public typealias CFIndex = Int

/// Where memory comes from: always from the same place, so that there is only nil.
public enum CFAllocator: Sendable {}

/// The usual allocator.
public let kCFAllocatorDefault: CFAllocator? = nil

/// A truth value.
public typealias CFBoolean = NSNumber
/// A number.
public typealias CFNumber = NSNumber
/// The absence of a value where an object is needed.
public typealias CFNull = NSNull

// Darwin has these as implicitly unwrapped, so that code with and without `!` compiles.

// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
/// True as an object.
public var kCFBooleanTrue: CFBoolean! { NSNumber(value: true) }
// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
/// False as an object.
public var kCFBooleanFalse: CFBoolean! { NSNumber(value: false) }
// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
/// The absence of a value where an object is needed.
public var kCFNull: CFNull! { NSNull() }
