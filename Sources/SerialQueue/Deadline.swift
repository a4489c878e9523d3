import CSerialQueue

/// The time on the C core's clock that is `duration` from now; `nil`: no limit. Never 0, which tells C not to wait: a
/// duration that is not positive makes a deadline that has passed.
@usableFromInline
func deadline(_ duration: Duration?) -> sq_time_t {
    guard let duration else { return .max }
    return duration > .zero ? sq_deadline(nanoseconds(duration)) : 1
}

/// As many as there are, or as fit.
func nanoseconds(_ duration: Duration) -> UInt64 {
    let (seconds, attoseconds) = duration.components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflows) = whole.addingReportingOverflow(UInt64(attoseconds) / 1_000_000_000)
    return overflow || overflows ? .max : sum
}
