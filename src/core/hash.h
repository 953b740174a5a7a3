/* A 64-bit hash of bits (FNV-1a over 8-byte words with a final mix): equal states, equal hash. */
#ifndef PL_CORE_HASH_H
#define PL_CORE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PL_HASH_START UINT64_C(0xcbf29ce484222325)

static inline uint64_t pl_hash_words(uint64_t hash, const void *data, size_t words)
{
  const unsigned char *bytes = data;
  for (size_t i = 0; i < words; i++) {
    uint64_t word;
    memcpy(&word, bytes + 8 * i, 8);
    hash = (hash ^ word) * UINT64_C(0x100000001b3);
    hash ^= hash >> 29;
  }
  return hash;
}

#endif
