/* Bytes as text in base 64 (RFC 4648). */
#ifndef PL_IO_BASE64_H
#define PL_IO_BASE64_H

#include "core/text.h"

/* Adds the bytes to text. */
void pl_base64_encode(pl_text *text, const void *data, size_t size);

/* Decodes at most most bytes from at..end and returns how many there were. Blanks are passed over;
 * padding may stand inside, where one piece ends and the next begins; anything else ends the data.
 */
size_t pl_base64_decode(const char *at, const char *end, char *bytes, size_t max);

#endif
