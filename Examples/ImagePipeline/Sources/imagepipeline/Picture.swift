import CPictures
import Foundation
import Synchronization

struct BadPicture: Error, CustomStringConvertible {
    let description: String
}

/// Decoded pixels, 3 bytes each. They are written before the picture is shared, and never change then.
///
/// Unchecked Sendable: see above.
final class Picture: @unchecked Sendable {
    let raw: picture_t
    var width: Int { Int(raw.width) }
    var height: Int { Int(raw.height) }
    var pixels: UnsafeMutablePointer<UInt8> { raw.pixels }

    /// How many pictures exist, and their bytes: now, and at most since `reset`.
    private static let count = Mutex((now: 0, most: 0, bytes: 0, mostBytes: 0))

    private init(_ raw: picture_t) {
        self.raw = raw
        let bytes = Int(raw.width) * Int(raw.height) * 3
        Self.count.withLock {
            $0.now += 1
            $0.bytes += bytes
            $0.most = max($0.most, $0.now)
            $0.mostBytes = max($0.mostBytes, $0.bytes)
        }
    }

    convenience init(width: Int, height: Int) {
        let pixels = malloc(width * height * 3)!.bindMemory(to: UInt8.self, capacity: width * height * 3)
        self.init(picture_t(width: Int32(width), height: Int32(height), pixels: pixels))
    }

    deinit {
        let bytes = width * height * 3
        Self.count.withLock {
            $0.now -= 1
            $0.bytes -= bytes
        }
        free(raw.pixels)
    }

    /// How many pictures existed at a time at most since the last call, and how many bytes they had.
    static func takeMost() -> (pictures: Int, bytes: Int) {
        count.withLock { count in
            defer { (count.most, count.mostBytes) = (count.now, count.bytes) }
            return (count.most, count.mostBytes)
        }
    }
}

extension Picture {
    static func decode(_ file: Data) throws -> Picture {
        var raw = picture_t()
        try check { message in
            file.withUnsafeBytes { bytes in
                picture_decode(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count, &raw, message)
            }
        }
        return Picture(raw)
    }

    func encoded(asPNG: Bool = false) throws -> Data {
        var raw = raw, size = 0
        var file: UnsafeMutablePointer<UInt8>?
        try Self.check { message in
            asPNG ? picture_encode_png(&raw, &file, &size, message) : picture_encode_jpeg(&raw, &file, &size, message)
        }
        return Data(bytesNoCopy: file!, count: size, deallocator: .free)
    }

    private static func check(_ call: (UnsafeMutablePointer<CChar>) -> Int32) throws {
        var message = [CChar](repeating: 0, count: Int(PICTURE_MESSAGE))
        if message.withUnsafeMutableBufferPointer({ call($0.baseAddress!) }) != 0 {
            throw BadPicture(description: message.withUnsafeBufferPointer { String(cString: $0.baseAddress!) })
        }
    }
}
