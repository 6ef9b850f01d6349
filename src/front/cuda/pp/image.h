/* Images of our own headers: what reading one comes to, worked out while Tern is built
 * (tool/image.c), so that a compilation need not read its text. Only headers have one whose meaning
 * cannot depend on what was read before, or on what a source defines; one set is for host code, one
 * for device code. What an image leaves open is done when it is met: which header an #include
 * means, and whether that has been read already.
 *
 * An image is bytes: numbers are seven bits a byte, the lowest first, the top bit set where more
 * follow. A token is
 *   head: kind in bits 0 to 2, IMAGE_BOL, IMAGE_SPACE, IMAGE_LEN, IMAGE_PREFIX
 *   its place in the file, as the difference to that of the token before, zigzag
 *   [length: IMAGE_LEN, else as its text is spelled]  [prefix: a byte, IMAGE_PREFIX]
 *   PUNCT: the punctuator; CHAR: punct, value; else: number of a word
 * and kind 7 is no token: an enum image_step follows. Tokens that macros made have the place where
 * the macro was used. */
#ifndef FRONT_CUDA_IMAGE_H
#define FRONT_CUDA_IMAGE_H

#include <stddef.h>
#include <stdint.h>

enum { IMAGE_BOL = 8, IMAGE_SPACE = 16, IMAGE_LEN = 32, IMAGE_PREFIX = 64, IMAGE_STEP = 7 };

enum image_step {
    IMAGE_END,
    IMAGE_INCLUDE, /* flags (1: quoted, 2: next), place, length, word */
    IMAGE_DEFINE,  /* place of the name, flags (1: function, 2: variadic, 4: plain), word, number of
                      parameters, a word each, number of body tokens, place of the body, its length;
                      body tokens: kind, punct, flags, prefix (bytes), place in the body, length,
                      then as above, or for parameters and the like: word, number */
    IMAGE_UNDEF,   /* word */
    IMAGE_ITEM,    /* word, number of tokens, of bytes, how far they move the place (zigzag); these
                      tokens are read when something leads to the word */
};

struct image_word {
    uint32_t at; /* in image_text */
    uint32_t len;
};

struct image {
    const char *path;           /* as struct pp_header has it */
    const unsigned char *bytes; /* NULL: it has none for this half */
    uint32_t guard;             /* 1 + its word; 0: none */
    unsigned char once;
};

struct image_set {
    const struct image *images; /* by path */
    size_t count;
    const uint32_t *absent; /* words that were asked for, and are no macros */
    size_t nabsent;
};

extern const struct image_set image_sets[2]; /* device, host */
extern const struct image_word image_words[];
extern const size_t image_word_count;
extern const char image_text[];

#endif
