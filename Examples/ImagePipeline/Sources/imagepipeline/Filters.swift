/// What happens to a picture. Each filter makes a new one. At most `mostPictures` exist at a time: the original, the filter's
/// input, one in between (blur has two passes), and its result.
enum Filter: String, CaseIterable, Sendable {
    case resize, cartoon, blur, sepia

    static let mostPictures = 4
    static let usual = [resize, cartoon]

    func apply(to picture: Picture) -> Picture {
        switch self {
        case .resize: resized(picture, longestSide: 640)
        case .cartoon: drawnAsCartoon(picture)
        case .blur: blurred(blurred(picture, radius: 3, across: true), radius: 3, across: false)
        case .sepia: toned(picture)
        }
    }
}

/// Each new pixel is the mean of those that it covers. A picture that is small enough is only copied.
private func resized(_ picture: Picture, longestSide: Int) -> Picture {
    let longest = max(picture.width, picture.height)
    let side = min(longest, longestSide)
    let result = Picture(width: max(1, picture.width * side / longest), height: max(1, picture.height * side / longest))
    let from = picture.pixels, to = result.pixels
    for y in 0..<result.height {
        let top = y * picture.height / result.height, bottom = max(top + 1, (y + 1) * picture.height / result.height)
        for x in 0..<result.width {
            let left = x * picture.width / result.width, right = max(left + 1, (x + 1) * picture.width / result.width)
            var red = 0, green = 0, blue = 0
            for line in top..<bottom {
                for column in left..<right {
                    let pixel = (line * picture.width + column) * 3
                    red += Int(from[pixel])
                    green += Int(from[pixel + 1])
                    blue += Int(from[pixel + 2])
                }
            }
            let count = (bottom - top) * (right - left), pixel = (y * result.width + x) * 3
            to[pixel] = UInt8(red / count)
            to[pixel + 1] = UInt8(green / count)
            to[pixel + 2] = UInt8(blue / count)
        }
    }
    return result
}

/// A few flat colors, and a dark line where the brightness changes: easy to tell from the original.
private func drawnAsCartoon(_ picture: Picture) -> Picture {
    let result = Picture(width: picture.width, height: picture.height)
    let from = picture.pixels, to = result.pixels
    let (width, height) = (picture.width, picture.height)
    func brightness(_ x: Int, _ y: Int) -> Int {
        let pixel = (min(max(y, 0), height - 1) * width + min(max(x, 0), width - 1)) * 3
        return 2 * Int(from[pixel]) + 5 * Int(from[pixel + 1]) + Int(from[pixel + 2])
    }
    for y in 0..<height {
        for x in 0..<width {
            let across = brightness(x + 1, y) - brightness(x - 1, y), down = brightness(x, y + 1) - brightness(x, y - 1)
            let isEdge = across * across + down * down > 50_000
            let pixel = (y * width + x) * 3
            for color in 0..<3 {
                to[pixel + color] = isEdge ? 24 : UInt8(min(255, (Int(from[pixel + color]) / 52) * 62 + 7))
            }
        }
    }
    return result
}

/// The mean of 2 · radius + 1 pixels in one direction, as a sum that moves along; the pixels at the border count again beyond it.
private func blurred(_ picture: Picture, radius: Int, across: Bool) -> Picture {
    let result = Picture(width: picture.width, height: picture.height)
    let (lines, length) = across ? (picture.height, picture.width) : (picture.width, picture.height)
    let (lineStep, step) = across ? (picture.width * 3, 3) : (3, picture.width * 3)
    let from = picture.pixels, to = result.pixels
    for line in 0..<lines {
        for color in 0..<3 {
            let start = line * lineStep + color
            func value(_ at: Int) -> Int { Int(from[start + min(max(at, 0), length - 1) * step]) }
            var sum = 0
            for at in -radius...radius { sum += value(at) }
            for at in 0..<length {
                to[start + at * step] = UInt8(sum / (2 * radius + 1))
                sum += value(at + radius + 1) - value(at - radius)
            }
        }
    }
    return result
}

private func toned(_ picture: Picture) -> Picture {
    let result = Picture(width: picture.width, height: picture.height)
    let from = picture.pixels, to = result.pixels
    for pixel in stride(from: 0, to: picture.width * picture.height * 3, by: 3) {
        let red = Int(from[pixel]), green = Int(from[pixel + 1]), blue = Int(from[pixel + 2])
        to[pixel] = UInt8(min(255, (393 * red + 769 * green + 189 * blue) / 1000))
        to[pixel + 1] = UInt8(min(255, (349 * red + 686 * green + 168 * blue) / 1000))
        to[pixel + 2] = UInt8(min(255, (272 * red + 534 * green + 131 * blue) / 1000))
    }
    return result
}
