/// A landscape, a face or a poster, with the number of the picture.
func draw(_ number: Int, _ width: Int, _ height: Int) -> Picture {
    let picture = Picture(width: width, height: height)
    let scene: any Scene
    switch number % 3 {
    case 0: scene = Landscape(number)
    case 1: scene = Face(number)
    default: scene = Poster(number)
    }
    let caption = Caption("ROW \(number)", lines: scene.captionLines)
    var pixel = picture.pixels, noise = UInt32(truncatingIfNeeded: number &* 747_796_405 &+ 1)
    for row in 0..<height {
        let y = (Float(row) + 0.5) / Float(height)
        for column in 0..<width {
            let x = (Float(column) + 0.5) / Float(height)  // 0 to 1.5
            noise = noise &* 1_664_525 &+ 1_013_904_223
            let grain = Float(noise >> 29)
            let color = caption.covers(x, y) ? Color(250, 250, 245) : scene.color(x, y)
            pixel[0] = UInt8(max(0, min(255, color.red + grain)))
            pixel[1] = UInt8(max(0, min(255, color.green + grain)))
            pixel[2] = UInt8(max(0, min(255, color.blue + grain)))
            pixel += 3
        }
    }
    return picture
}

/// Parts of 255.
struct Color {
    let red, green, blue: Float

    init(_ red: Float, _ green: Float, _ blue: Float) { (self.red, self.green, self.blue) = (red, green, blue) }

    /// This color at 0, the other one at 1.
    func mixed(_ part: Float, _ other: Color) -> Color {
        Color(red + (other.red - red) * part, green + (other.green - green) * part, blue + (other.blue - blue) * part)
    }
}

/// What is at a point: x from 0 to 1.5, y from 0, the top, to 1.
protocol Scene {
    var captionLines: ClosedRange<Float> { get }
    func color(_ x: Float, _ y: Float) -> Color
}

private func isIn(_ x: Float, _ y: Float, disc centerX: Float, _ centerY: Float, _ radius: Float, flat: Float = 1) -> Bool {
    let (across, down) = (x - centerX, (y - centerY) * flat)
    return across * across + down * down < radius * radius
}

/// Nearly a sine, of period 1.
private func wave(_ x: Float) -> Float {
    let part = x - x.rounded(.down)
    return part < 0.5 ? 16 * part * (0.5 - part) : -16 * (part - 0.5) * (1 - part)
}

/// Sun, two ranges of mountains, a lake that mirrors them, and trees at the shore.
struct Landscape: Scene {
    let captionLines: ClosedRange<Float> = 0.86...0.95
    private let shift: Float, sun: Float

    init(_ number: Int) { (shift, sun) = (Float(number % 17) * 0.37, 0.25 + Float(number % 11) * 0.1) }

    func color(_ x: Float, _ y: Float) -> Color {
        let shore: Float = 0.66
        if y < shore { return land(x, y, shore) }
        let depth = (y - shore) / (1 - shore)
        let mirrored = land(x + 0.008 * wave(y * 40), shore - (y - shore) * 1.4, shore)
        return mirrored.mixed(0.35 + 0.3 * depth, Color(24, 60, 92))
    }

    private func land(_ x: Float, _ y: Float, _ shore: Float) -> Color {
        let tree = (x * 14 + shift) - (x * 14 + shift).rounded(.down)
        if y > shore - 0.10 + abs(tree - 0.5) * 0.22, wave(x * 3 + shift) > -0.4 { return Color(22, 58, 38) }
        let near = 0.46 - 0.07 * wave(x * 1.3 + shift) - 0.03 * wave(x * 4.1 + shift)
        if y > near { return Color(58, 98, 74).mixed((y - near) * 2, Color(92, 128, 70)) }
        let far = 0.30 - 0.10 * wave(x * 0.9 - shift) - 0.04 * wave(x * 3.7)
        if y > far { return y < far + 0.035 ? Color(244, 246, 250) : Color(104, 116, 148).mixed((y - far) * 2, Color(160, 168, 190)) }
        if isIn(x, y, disc: sun, 0.17, 0.075) { return Color(255, 236, 150) }
        return Color(52, 116, 196).mixed(y * 2.4, Color(252, 208, 160))
    }
}

/// A face of circles before a wall.
struct Face: Scene {
    let captionLines: ClosedRange<Float> = 0.02...0.11
    private let wall, skin: Color, look: Float, smile: Float

    init(_ number: Int) {
        let walls = [Color(60, 120, 140), Color(150, 80, 90), Color(90, 100, 160), Color(120, 140, 70)]
        let skins = [Color(242, 202, 160), Color(198, 140, 96), Color(120, 78, 52), Color(255, 214, 90)]
        (wall, skin) = (walls[number / 3 % 4], skins[number / 5 % 4])
        (look, smile) = (Float(number % 5 - 2) * 0.012, Float(number % 4) * 0.03)
    }

    func color(_ x: Float, _ y: Float) -> Color {
        for side: Float in [-1, 1] {
            let eye = 0.75 + side * 0.13
            if isIn(x, y, disc: eye + look, 0.47, 0.026) { return Color(20, 24, 40) }
            if isIn(x, y, disc: eye, 0.47, 0.06, flat: 1.3) { return Color(252, 252, 252) }
            if abs(x - eye) < 0.07, abs(y - 0.375 - side * (x - eye) * 0.2) < 0.012 { return Color(70, 44, 30) }
        }
        if isIn(x, y, disc: 0.75, 0.66, 0.14, flat: 1.4), y > 0.67 - smile {
            return y < 0.70 - smile ? Color(250, 250, 250) : Color(150, 40, 50)
        }
        if isIn(x, y, disc: 0.75, 0.56, 0.035) { return skin.mixed(0.25, Color(140, 60, 40)) }
        if y < 0.34, isIn(x, y, disc: 0.75, 0.44, 0.33) { return Color(64, 42, 30) }
        if isIn(x, y, disc: 0.75, 0.54, 0.33, flat: 0.88) { return skin.mixed(abs(x - 0.75), Color(140, 80, 60)) }
        if isIn(x, y, disc: 0.75, 1.15, 0.42) { return Color(44, 66, 110) }
        return wall.mixed(y * 0.6, Color(20, 24, 30))
    }
}

/// Stripes, a triangle, a square and a ring.
struct Poster: Scene {
    let captionLines: ClosedRange<Float> = 0.80...0.93
    private let number: Float

    init(_ number: Int) { self.number = Float(number % 13) }

    func color(_ x: Float, _ y: Float) -> Color {
        if y > 0.76 { return Color(36, 40, 56) }
        if y > 0.22, y < 0.62, abs(x - 0.32) < (y - 0.22) * 0.55 { return Color(230, 90, 50) }
        let side = max(abs(x - 0.78), abs(y - 0.43))
        if side < 0.17 { return side < 0.1 ? Color(250, 220, 80) : Color(40, 130, 120) }
        if isIn(x, y, disc: 1.22, 0.43, 0.19), !isIn(x, y, disc: 1.22, 0.43, 0.1) { return Color(70, 80, 190) }
        return wave((x + y) * 6 + number * 0.21) > 0 ? Color(244, 234, 212) : Color(232, 214, 184)
    }
}

/// A line of text in letters of 5 × 7 squares.
struct Caption {
    private static let letters: [Character: [UInt8]] = [
        "R": [30, 17, 17, 30, 20, 18, 17], "O": [14, 17, 17, 17, 17, 17, 14], "W": [17, 17, 17, 21, 21, 27, 17],
        "0": [14, 17, 19, 21, 25, 17, 14], "1": [4, 12, 4, 4, 4, 4, 14], "2": [14, 17, 1, 6, 8, 16, 31], "3": [30, 1, 1, 14, 1, 1, 30],
        "4": [2, 6, 10, 18, 31, 2, 2], "5": [31, 16, 30, 1, 1, 17, 14], "6": [6, 8, 16, 30, 17, 17, 14], "7": [31, 1, 2, 4, 8, 8, 8],
        "8": [14, 17, 17, 14, 17, 17, 14], "9": [14, 17, 17, 15, 1, 2, 12],
    ]
    private let rows: [[UInt8]]
    private let lines: ClosedRange<Float>

    init(_ text: String, lines: ClosedRange<Float>) {
        rows = text.map { Self.letters[$0] ?? Array(repeating: 0, count: 7) }
        self.lines = lines
    }

    func covers(_ x: Float, _ y: Float) -> Bool {
        guard lines.contains(y) else { return false }
        let square = (lines.upperBound - lines.lowerBound) / 7
        let row = min(6, Int((y - lines.lowerBound) / square)), column = Int((x - 0.06) / square)
        guard x > 0.06, column / 6 < rows.count, column % 6 < 5 else { return false }
        return rows[column / 6][row] >> (4 - column % 6) & 1 == 1
    }
}
