// Values.swift: the types without behaviour are Dispatch's own, so calls of Foundation still take them.

@_exported import enum Dispatch.DispatchTimeInterval
@_exported import enum Dispatch.DispatchTimeoutResult
@_exported import struct Dispatch.DispatchQoS
@_exported import struct Dispatch.DispatchTime
@_exported import struct Dispatch.DispatchWallTime
@_exported import struct Dispatch.DispatchWorkItemFlags
@_exported import class Dispatch.DispatchSpecificKey
