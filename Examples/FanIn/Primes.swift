/// A range of numbers whose primes are counted by itself.
struct Piece: Sendable {
    static let size = 100_000
    static let most = 20_000

    private let numbers: Range<Int>

    init(_ number: Int) {
        numbers = number * Self.size..<(number + 1) * Self.size
    }

    /// `nil`: it was stopped.
    func countPrimes(unless isCancelled: () -> Bool) -> Int? {
        var primes = 0
        for number in numbers {
            if number % 1000 == 0 && isCancelled() { return nil }
            if isPrime(number) { primes += 1 }
        }
        return primes
    }

    private func isPrime(_ number: Int) -> Bool {
        var divisor = 2
        while divisor * divisor <= number {
            if number % divisor == 0 { return false }
            divisor += 1
        }
        return number >= 2
    }
}

/// The same in another way.
func sieve(below limit: Int) -> Int {
    var isComposite = [Bool](repeating: false, count: limit), primes = 0
    for number in 2..<limit where !isComposite[number] {
        primes += 1
        for multiple in stride(from: number * number, to: limit, by: number) { isComposite[multiple] = true }
    }
    return primes
}
