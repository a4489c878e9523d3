import CSerialQueue

/// The time on the C core's clock that is `duration` from now; `nil`: no limit. Never 0, which tells C not to wait: a
/// duration that is not positive makes a deadline that has passed.
@usableFromInline
func deadline(_ duration: Duration?) -> sq_time_t {
    guard let duration else { return .max }
    return duration > .zero ? sq_deadline(nanoseconds(duration)) : 1
}

/// As many as there are whole ones, or as fit: 0 for a duration that is not positive, `.max` from 584 years on.
func nanoseconds(_ duration: Duration) -> UInt64 {
    guard duration > .zero else { return 0 }
    // Asked before taking it apart: `components` traps where the seconds do not fit.
    guard duration < .seconds(UInt64.max / 1_000_000_000) else { return .max }
    let (seconds, attoseconds) = duration.components
    return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds) / 1_000_000_000
}
