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
