import CSerialQueue

/// The time on the C core's clock that is `duration` from now; `nil`: no limit. Never 0, because C does not wait at all then: a
/// duration that is not positive gives a deadline that has already passed.
@usableFromInline
func deadline(_ duration: Duration?) -> sq_time_t {
    guard let duration else { return .max }
    return duration > .zero ? sq_deadline(nanoseconds(duration)) : 1
}

/// The duration in whole nanoseconds: 0 if it is not positive, `.max` from 584 years on.
package func nanoseconds(_ duration: Duration) -> UInt64 {
    guard duration > .zero else { return 0 }
    // Checked first, because `components` traps if the seconds do not fit.
    guard duration < .seconds(UInt64.max / 1_000_000_000) else { return .max }
    let (seconds, attoseconds) = duration.components
    return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds) / 1_000_000_000
}
