/* Bytes that come in at the viewer's port: requests, upgrades, frames. "PORT" stands for the port,
 * so that seeds can name the server, and the token is known. */
#include "../view/client.h"
#include "view/server.h"

#include <pthread.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static pl_board *board;
static pl_server *server;
static int port;

static int take(void *context, const pl_command *command)
{
  (void)context;
  if (command->kind >= PL_COMMAND_COUNT) abort();
  return 1;
}

static void *serve(void *context)
{
  (void)context;
  pl_server_run(server, NULL);
  return NULL;
}

static void start(void)
{
  pthread_t thread;
  pl_server_def def = {.address = "127.0.0.1",
                       .token = "00112233445566778899aabbccddeeff",
                       .command = take,
                       .hello_seconds = 1,
                       .slow_seconds = 1};
  if (pl_board_create(NULL, NULL, &board, NULL)) abort();
  def.board = board;
  if (pl_server_create(&def, &server, NULL)) abort();
  port = pl_server_port(server);
  pl_board_post(board, PL_SLOT_SCENE, "{}", 2);
  if (pthread_create(&thread, NULL, serve, NULL)) abort();
  pthread_detach(thread);
}

/* The bytes with the port's number in them. */
static char *fill_in(const uint8_t *data, size_t size, size_t *length)
{
  char digits[16], *out = malloc(2 * size + 16);
  int count = snprintf(digits, sizeof digits, "%d", port);
  size_t to = 0;
  if (!out) abort();
  for (size_t i = 0; i < size;) {
    if (size - i >= 4 && memcmp(data + i, "PORT", 4) == 0) {
      memcpy(out + to, digits, (size_t)count);
      to += (size_t)count;
      i += 4;
    } else {
      out[to++] = (char)data[i++];
    }
  }
  *length = to;
  return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static unsigned turn;
  if (!server) start();
  size_t length;
  char *bytes = fill_in(data, size, &length), answer[4096];
  int fd = dial(port), closed;
  if (fd < 0) abort(); // it must go on listening
  put(fd, bytes, length);
  // what it answers to some is read, others are left with it
  if (turn++ % 2) get(fd, answer, sizeof answer, 2, &closed);
  close(fd);
  free(bytes);
  return 0;
}
