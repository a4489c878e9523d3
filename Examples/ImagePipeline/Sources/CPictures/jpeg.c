/* jpeg.c: JPEG, through libjpeg. Its errors end in a longjmp to the caller of the library. */
#include "pictures.h"

#if !__has_include(<jpeglib.h>)
#error "Examples/ImagePipeline needs libjpeg: apt-get install libjpeg-dev"
#else

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <jpeglib.h>
#include <jerror.h>

struct failure {
    struct jpeg_error_mgr manager; /* first: libjpeg passes a pointer to it */
    jmp_buf back;
    char *message;
};

static void fail(j_common_ptr library) {
    struct failure *failure = (struct failure *)library->err;
    char text[JMSG_LENGTH_MAX];
    failure->manager.format_message(library, text);
    snprintf(failure->message, PICTURE_MESSAGE, "%s", text);
    longjmp(failure->back, 1);
}

/* libjpeg only warns about a file that ends too early, and makes the rest grey. Here that is an error. */
static void warn(j_common_ptr library, int level) {
    int code = library->err->msg_code;
    if (level < 0 && (code == JWRN_JPEG_EOF || code == JWRN_HIT_MARKER)) {
        fail(library);
    }
}

static struct jpeg_error_mgr *start(struct failure *failure, char *message) {
    jpeg_std_error(&failure->manager);
    failure->manager.error_exit = fail;
    failure->manager.emit_message = warn;
    failure->message = message;
    return &failure->manager;
}

int picture__decode_jpeg(const uint8_t *bytes, size_t size, picture_t *picture, char *message) {
    struct jpeg_decompress_struct library;
    struct failure failure;
    picture->pixels = NULL;
    library.err = start(&failure, message);
    jpeg_create_decompress(&library);
    if (setjmp(failure.back) != 0) {
        goto failed;
    }
    jpeg_mem_src(&library, bytes, size);
    jpeg_read_header(&library, TRUE);
    library.out_color_space = JCS_RGB;
    jpeg_start_decompress(&library);
    if (picture__allocate(picture, library.output_width, library.output_height, message) != 0) {
        goto failed;
    }
    while (library.output_scanline < library.output_height) {
        JSAMPROW line = picture->pixels + (size_t)library.output_scanline * library.output_width * 3;
        jpeg_read_scanlines(&library, &line, 1);
    }
    jpeg_finish_decompress(&library);
    jpeg_destroy_decompress(&library);
    return 0;

failed:
    jpeg_destroy_decompress(&library);
    free(picture->pixels);
    picture->pixels = NULL;
    return -1;
}

int picture_encode_jpeg(const picture_t *picture, uint8_t **file, size_t *size, char *message) {
    struct jpeg_compress_struct library;
    struct failure failure;
    *file = NULL; /* not a local variable: it would be lost in the longjmp */
    *size = 0;
    library.err = start(&failure, message);
    jpeg_create_compress(&library);
    if (setjmp(failure.back) != 0) {
        jpeg_destroy_compress(&library);
        free(*file);
        return -1;
    }
    jpeg_mem_dest(&library, file, size);
    library.image_width = (JDIMENSION)picture->width;
    library.image_height = (JDIMENSION)picture->height;
    library.input_components = 3;
    library.in_color_space = JCS_RGB;
    jpeg_set_defaults(&library);
    jpeg_set_quality(&library, 85, TRUE);
    jpeg_start_compress(&library, TRUE);
    while (library.next_scanline < library.image_height) {
        JSAMPROW line = picture->pixels + (size_t)library.next_scanline * library.image_width * 3;
        jpeg_write_scanlines(&library, &line, 1);
    }
    jpeg_finish_compress(&library);
    jpeg_destroy_compress(&library);
    return 0;
}

#endif
