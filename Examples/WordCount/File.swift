import Foundation

/// Why a file cannot be counted, in words that follow its name.
struct Problem: Error {
    let reason: String
    init(_ reason: String) { self.reason = reason }
    init(errno code: Int32) { reason = String(cString: strerror(code)) }
}

/// An open file, closed with its last reference.
final class File: Sendable {
    private let descriptor: Int32

    private init(descriptor: Int32) throws(Problem) {
        if descriptor < 0 { throw Problem(errno: errno) }
        self.descriptor = descriptor
    }

    convenience init(path: Argument) throws(Problem) {
        try self.init(descriptor: open(path.bytes, O_RDONLY | O_CLOEXEC))
    }
    convenience init(duplicate descriptor: Int32) throws(Problem) { try self.init(descriptor: dup(descriptor)) }

    /// A new file without a name: it is gone when it is closed, however the program ends.
    static func temporary() throws(Problem) -> File {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? ""
        var path = Array(((folder.isEmpty ? "/tmp" : folder) + "/wordcount-XXXXXX").utf8CString)
        let descriptor = mkstemp(&path)
        if descriptor >= 0 { unlink(path) }
        return try File(descriptor: descriptor)
    }

    deinit { close(descriptor) }

    /// What the path leads to, found without opening it: to open a pipe waits for its writer.
    static func kind(of path: Argument) throws(Problem) -> Input.Kind {
        var status = stat()
        let isStandardInput = path.text == "-"
        if (isStandardInput ? fstat(0, &status) : stat(path.bytes, &status)) != 0 { throw Problem(errno: errno) }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: throw Problem("is a directory")
        case S_IFBLK: throw Problem("is a device, not a text")
        case S_IFCHR where !isStandardInput: throw Problem("is a device, not a text")
        case S_IFREG where status.st_size > 0 && !isStandardInput: return .file(size: Int(status.st_size))
        default: return .stream
        }
    }

    /// Fills the buffer from `offset` on.
    func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(Problem) {
        var filled = 0
        while filled < buffer.count {
            let got = pread(descriptor, buffer.baseAddress! + filled, buffer.count - filled, off_t(offset + filled))
            if got < 0 && errno == EINTR { continue }
            if got < 0 { throw Problem(errno: errno) }
            if got == 0 { throw Problem("became shorter while it was read") }
            filled += got
        }
    }

    /// Copies all that is left to read; returns how many bytes.
    func copy(to other: File) throws(Problem) -> Int {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 1)
        defer { buffer.deallocate() }
        var size = 0
        while true {
            let got = Foundation.read(descriptor, buffer.baseAddress, buffer.count)
            if got == 0 { return size }
            if got < 0 && errno == EINTR { continue }
            if got < 0 { throw Problem(errno: errno) }
            guard writeAll(UnsafeRawBufferPointer(rebasing: buffer[..<got]), to: other.descriptor) else {
                throw Problem("its temporary copy cannot be written: " + Problem(errno: errno).reason)
            }
            size += got
        }
    }
}

/// False, with errno, if not all could be written.
func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
    var written = 0
    while written < bytes.count {
        let count = write(descriptor, bytes.baseAddress! + written, bytes.count - written)
        if count < 0 && errno != EINTR { return false }
        written += max(count, 0)
    }
    return true
}
