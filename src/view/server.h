/* The local server: gives out the page and carries messages between pages and a session.
 *
 * Whoever connects must name this very server in the Host header, come from its own page (Origin)
 * and begin with the run's token; nothing else gets an answer. Messages and clients are bounded,
 * and a client that does not keep up loses frames first and its connection then. */
#ifndef PL_VIEW_SERVER_H
#define PL_VIEW_SERVER_H

#include "view/board.h"
#include "view/command.h"

#include <signal.h>

enum {
  PL_TOKEN_LENGTH = 32, /* hexadecimal digits: 128 bits */
  PL_MOST_CLIENTS = 8,
  PL_MOST_HOSTS = 16
};

typedef struct pl_server pl_server;

typedef struct pl_server_def {
  const char *address;      /* to listen at, for example "127.0.0.1"                           */
  int port;                 /* 0: any that is free                                             */
  const char *token;        /* PL_TOKEN_LENGTH hexadecimal digits                              */
  const char *const *hosts; /* names of this machine that may stand in Host, beside address */
  int host_count;
  int framed; /* 1: other pages of this machine may show the page in a frame, as notebooks do */
  pl_board *board; /* what the pages see */
  /* Takes what the page that drives asks for; 0: it could not. */
  int (*command)(void *context, const pl_command *command);
  void *context;
  int hello_seconds; /* for a request or a token to come, 0: 5                          */
  int slow_seconds;  /* that a page may leave frames unconfirmed, 0: 10                 */
} pl_server_def;

pl_status pl_server_create(const pl_server_def *def, pl_server **server, pl_error *error);
void pl_server_destroy(pl_server *server);

int pl_server_port(const pl_server *server);

/* Serves until *stop is set (by a signal handler of this thread) or pl_server_end is called. */
void pl_server_run(pl_server *server, volatile sig_atomic_t *stop);
/* From any thread. */
void pl_server_end(pl_server *server);

/* Fills token[PL_TOKEN_LENGTH + 1] with random digits from the system. */
pl_status pl_token_make(char *token, pl_error *error);
int pl_token_is_valid(const char *token);

#endif
