import Foundation

/// What the system says of this process. Linux only, like the rest.
struct Footprint {
    let resident: Int  // MiB
    let peak: Int  // MiB
    let threads: Int

    static var now: Footprint {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        func field(_ name: String) -> Int {
            let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
            return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
        }
        return Footprint(resident: field("VmRSS") / 1024, peak: field("VmHWM") / 1024, threads: field("Threads"))
    }
}
