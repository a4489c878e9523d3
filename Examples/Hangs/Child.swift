import Glibc

/// This program again, in a process of its own, to reproduce one hang.
struct Child {
    enum Ending: Equatable {
        case exited(CInt)
        case signalled(CInt)
        case timedOut
    }

    let said: [String]
    let ending: Ending
    let seconds: Int

    /// Waits for its end, or kills it after so many seconds. Its output goes into one pipe, in order.
    static func run(_ hang: any Hang.Type, _ contender: Contender, seconds: Int) -> Child {
        var pipeEnds: [CInt] = [0, 0]
        guard pipe(&pipeEnds) == 0 else { die("there is no pipe: \(reason(errno))") }
        let process = start([CommandLine.arguments[0], "--child", contender.rawValue, hang.name], output: pipeEnds[1])
        close(pipeEnds[1])
        var output = Output(pipeEnds[0])
        let hasEnded = output.read(seconds: seconds)
        if !hasEnded { kill(process, SIGKILL) }
        var status: CInt = 0
        while waitpid(process, &status, 0) < 0 && errno == EINTR {}
        close(pipeEnds[0])
        let ending = !hasEnded ? Ending.timedOut : status & 0x7f == 0 ? .exited(status >> 8 & 0xff) : .signalled(status & 0x7f)
        return Child(said: output.lines, ending: ending, seconds: seconds)
    }

    private static func start(_ arguments: [String], output: CInt) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, output, 2)
        posix_spawn_file_actions_addclose(&actions, output)
        // Without Swift's backtraces: they are pages long, and are not there in most installations.
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        var settings: [UnsafeMutablePointer<CChar>?] = [strdup("SWIFT_BACKTRACE=enable=no"), nil]
        defer { (words + settings).forEach { free($0) } }
        var process = pid_t()
        let error = posix_spawn(&process, "/proc/self/exe", &actions, nil, &words, &settings)
        if error != 0 { die("this program cannot start itself: \(reason(error))") }
        return process
    }
}

/// What comes out of a pipe.
private struct Output {
    private let pipe: CInt
    private var bytes: [UInt8] = []

    init(_ pipe: CInt) {
        self.pipe = pipe
    }

    var lines: [String] {
        String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// False: it was not closed within so many seconds.
    mutating func read(seconds: Int) -> Bool {
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(seconds)
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let left = (deadline - clock.now).components
            var request = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
            guard left.seconds >= 0, left.attoseconds >= 0 else { return false }
            let milliseconds = CInt(left.seconds * 1_000 + left.attoseconds / 1_000_000_000_000_000 + 1)
            guard poll(&request, 1, milliseconds) > 0 else { continue }
            let count = Glibc.read(pipe, &buffer, buffer.count)
            if count <= 0 { return true }
            bytes += buffer[..<count]
        }
    }
}
