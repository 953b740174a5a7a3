/* A client of our own for the viewer's server: raw sockets, and frames made by hand. */
#ifndef PL_TEST_VIEW_CLIENT_H
#define PL_TEST_VIEW_CLIENT_H

#include "core/clock.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static inline int dial(int port)
{
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
  if (connect(fd, (struct sockaddr *)&to, sizeof to) == 0) return fd;
  close(fd);
  return -1;
}

static inline void put(int fd, const void *data, size_t size)
{
  const char *bytes = data;
  while (size) {
    ssize_t sent = send(fd, bytes, size, MSG_NOSIGNAL);
    if (sent <= 0) return;
    bytes += sent;
    size -= (size_t)sent;
  }
}

/* Reads what comes within the time, until the other side closes; -1 in *closed: it did not. */
static inline size_t get(int fd, char *out, size_t room, int ms, int *closed)
{
  size_t used = 0;
  double end = pl_now() + ms * 1e-3;
  *closed = 0;
  while (used < room && pl_now() < end) {
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    if (poll(&wait, 1, 10) <= 0) continue;
    ssize_t got = recv(fd, out + used, room - used, 0);
    if (got <= 0) {
      *closed = 1;
      break;
    }
    used += (size_t)got;
  }
  return used;
}

#define UPGRADE                                                                                    \
  "GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"          \
  "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n"

/* An open WebSocket, or -1. */
static inline int upgrade(int port)
{
  char text[1024], answer[1024];
  int fd = dial(port);
  size_t used = 0;
  snprintf(text, sizeof text,
           UPGRADE "Origin: http://127.0.0.1:%d\r\nSec-WebSocket-Protocol: pliant-view\r\n\r\n",
           port, port);
  put(fd, text, strlen(text));
  // byte by byte, so that nothing behind the head is lost
  while (used < sizeof answer - 1) {
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    if (poll(&wait, 1, 3000) <= 0 || recv(fd, answer + used, 1, 0) != 1) break;
    answer[++used] = 0;
    if (used >= 4 && strcmp(answer + used - 4, "\r\n\r\n") == 0) return fd;
  }
  close(fd);
  return -1;
}

/* One frame of up to 65535 bytes; opcode 1 is text, 2 binary, 0 the continuation of a message. */
static inline void put_frame(int fd, int opcode, int is_last, const char *data, size_t size)
{
  unsigned char head[8] = {(unsigned char)((is_last ? 0x80 : 0) | opcode)};
  size_t length = 2;
  head[1] = (unsigned char)(0x80 | (size < 126 ? (int)size : 126));
  if (size >= 126) {
    head[2] = (unsigned char)(size >> 8);
    head[3] = (unsigned char)size;
    length = 4;
  }
  put(fd, head, length);
  put(fd, "\0\0\0\0", 4);
  put(fd, data, size);
}

static inline void say(int fd, const char *line) { put_frame(fd, 1, 1, line, strlen(line)); }

/* Reads frames for a while; counts those of the server's messages that begin with the words. */
typedef struct heard {
  int messages, frames, closed, drives, watches;
  size_t bytes;
} heard;

/* What the bytes so far say. */
static inline heard understand(const unsigned char *room, size_t size)
{
  heard out = {.bytes = size};
  size_t at = 0;
  while (at + 2 <= size) {
    size_t length = room[at + 1] & 127, head = 2;
    if (length == 126) length = (size_t)room[at + 2] << 8 | room[at + 3], head = 4;
    if (length == 127) {
      length = 0;
      for (int i = 0; i < 8; i++) length = length << 8 | room[at + 2 + (size_t)i];
      head = 10;
    }
    if (at + head + length > size) break;
    const char *text = (const char *)room + at + head;
    int opcode = room[at] & 15;
    if (opcode == 8) out.closed = 1;
    if (opcode == 1 || opcode == 2) out.messages++;
    if (length >= 4 && memcmp(text, "PLF1", 4) == 0) out.frames++;
    if (length == 29 && memcmp(text, "{\"type\":\"role\",\"driver\":true}", 29) == 0) out.drives++;
    if (length == 30 && memcmp(text, "{\"type\":\"role\",\"driver\":false}", 30) == 0)
      out.watches++;
    at += head + length;
  }
  return out;
}

/* Reads for so long, or until the connection is closed. */
static inline heard listen_to(int fd, int ms)
{
  static unsigned char room[1 << 20];
  heard out = {0};
  size_t size = 0;
  for (double until = pl_now() + ms * 1e-3; pl_now() < until && !out.closed;) {
    int closed;
    size += get(fd, (char *)room + size, sizeof room - size, 20, &closed);
    out = understand(room, size);
    out.closed |= closed;
  }
  return out;
}

/* Reads until so many of a kind have come, 20 s at most, and a moment more, in which too many would
 * show: on a busy machine nothing comes at once. */
static inline heard listen_for(int fd, size_t kind, int wanted)
{
  static unsigned char room[1 << 20];
  heard out = {0};
  size_t size = 0;
  double until = pl_now() + 20;
  for (int came = 0; pl_now() < until && !out.closed;) {
    int closed;
    size += get(fd, (char *)room + size, sizeof room - size, 20, &closed);
    out = understand(room, size);
    out.closed |= closed;
    if (!came && *(const int *)((const char *)&out + kind) >= wanted) {
      until = pl_now() + 0.04;
      came = 1;
    }
  }
  return out;
}
#define LISTEN(fd, kind, wanted) listen_for(fd, offsetof(heard, kind), wanted)

#endif
