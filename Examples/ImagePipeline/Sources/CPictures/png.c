/* png.c: PNG, through libpng's simplified interface; and what both formats share. */
#include "pictures.h"

#if !__has_include(<png.h>)
#error "Examples/ImagePipeline needs libpng: apt-get install libpng-dev"
#else

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <png.h>

int picture_decode(const uint8_t *bytes, size_t size, picture_t *picture, char *message) {
    if (size >= 2 && bytes[0] == 0xff && bytes[1] == 0xd8) {
        return picture__decode_jpeg(bytes, size, picture, message);
    }
    if (size >= 8 && png_sig_cmp(bytes, 0, 8) == 0) {
        return picture__decode_png(bytes, size, picture, message);
    }
    snprintf(message, PICTURE_MESSAGE, "%s", size == 0 ? "is empty" : "is neither JPEG nor PNG");
    return -1;
}

int picture__allocate(picture_t *picture, unsigned width, unsigned height, char *message) {
    if ((uint64_t)width * height > 100000000) {
        snprintf(message, PICTURE_MESSAGE, "has more than 100 megapixels: %u x %u", width, height);
        return -1;
    }
    picture->width = (int)width;
    picture->height = (int)height;
    picture->pixels = malloc((size_t)width * height * 3);
    if (picture->pixels == NULL) {
        snprintf(message, PICTURE_MESSAGE, "no memory for %u x %u pixels", width, height);
        return -1;
    }
    return 0;
}

static int failed(png_image *image, char *message) {
    snprintf(message, PICTURE_MESSAGE, "%s", image->message);
    png_image_free(image);
    return -1;
}

int picture__decode_png(const uint8_t *bytes, size_t size, picture_t *picture, char *message) {
    png_image image = {.version = PNG_IMAGE_VERSION};
    const png_color black = {0, 0, 0}; /* behind transparent pixels */
    picture->pixels = NULL;
    if (png_image_begin_read_from_memory(&image, bytes, size) == 0) {
        return failed(&image, message);
    }
    image.format = PNG_FORMAT_RGB;
    if (picture__allocate(picture, image.width, image.height, message) != 0) {
        png_image_free(&image);
        return -1;
    }
    if (png_image_finish_read(&image, &black, picture->pixels, 0, NULL) == 0) {
        free(picture->pixels);
        picture->pixels = NULL;
        return failed(&image, message);
    }
    return 0;
}

int picture_encode_png(const picture_t *picture, uint8_t **file, size_t *size, char *message) {
    png_image image = {
        .version = PNG_IMAGE_VERSION, .width = (png_uint_32)picture->width, .height = (png_uint_32)picture->height,
        .format = PNG_FORMAT_RGB, .flags = PNG_IMAGE_FLAG_FAST,
    };
    png_alloc_size_t length = PNG_IMAGE_PNG_SIZE_MAX(image);
    uint8_t *out = malloc(length);
    if (out == NULL) {
        snprintf(message, PICTURE_MESSAGE, "no memory for a file of %zu bytes", (size_t)length);
        return -1;
    }
    if (png_image_write_to_memory(&image, out, &length, 0, picture->pixels, 0, NULL) == 0) {
        free(out);
        return failed(&image, message);
    }
    *file = out;
    *size = length;
    return 0;
}

#endif
