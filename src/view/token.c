/* Tokens: 128 random bits as hexadecimal digits. */
#include "core/error.h"
#include "view/server.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

pl_status pl_token_make(char *token, pl_error *error)
{
  unsigned char bytes[PL_TOKEN_LENGTH / 2];
  size_t have = 0;
  int file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  while (file >= 0 && have < sizeof bytes) {
    ssize_t got = read(file, bytes + have, sizeof bytes - have);
    if (got <= 0 && errno != EINTR) break;
    if (got > 0) have += (size_t)got;
  }
  if (file >= 0) close(file);
  if (have < sizeof bytes)
    return pl_fail(error, PL_E_IO, "/dev/urandom gives no random numbers: %s", strerror(errno));
  for (size_t i = 0; i < sizeof bytes; i++) {
    token[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
    token[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
  }
  token[PL_TOKEN_LENGTH] = 0;
  return PL_OK;
}

int pl_token_is_valid(const char *token)
{
  return strlen(token) == PL_TOKEN_LENGTH && strspn(token, "0123456789abcdef") == PL_TOKEN_LENGTH;
}
