/* pictures.h: JPEG and PNG files in memory to pixels and back, for Swift. */
#ifndef PICTURES_H
#define PICTURES_H

#include <stddef.h>
#include <stdint.h>

enum { PICTURE_MESSAGE = 256 };

/** Pixels: 3 bytes each, red, green, blue, line after line. `pixels` is from malloc. */
typedef struct {
    int width;
    int height;
    uint8_t *pixels;
} picture_t;

/**
 * Decodes a JPEG or a PNG file; its first bytes say which.
 *
 * A file that ends too early is an error, and so is a picture of more than 100 megapixels.
 *
 * @param bytes    The whole file.
 * @param picture  Receives the picture. Free `pixels` with free().
 * @param message  Receives why it failed, in PICTURE_MESSAGE bytes.
 * @return 0, or -1 with a message.
 */
int picture_decode(const uint8_t *bytes, size_t size, picture_t *picture, char *message);

/**
 * Encodes a picture as a JPEG file of quality 85.
 *
 * @param file  Receives the file. Free it with free().
 * @return 0, or -1 with a message.
 */
int picture_encode_jpeg(const picture_t *picture, uint8_t **file, size_t *size, char *message);

/** Encodes a picture as a PNG file, quickly rather than well. Otherwise as picture_encode_jpeg(). */
int picture_encode_png(const picture_t *picture, uint8_t **file, size_t *size, char *message);

/* For the two files of this target. */
int picture__decode_jpeg(const uint8_t *bytes, size_t size, picture_t *picture, char *message);
int picture__decode_png(const uint8_t *bytes, size_t size, picture_t *picture, char *message);
int picture__allocate(picture_t *picture, unsigned width, unsigned height, char *message);

#endif
