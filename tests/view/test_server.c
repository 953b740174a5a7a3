/* The server as an attacker meets it: raw sockets, foreign names, wrong tokens, malformed and
 * endless messages, too many connections, readers that never read. */
#include "core/clock.h"
#include "view/server.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include "client.h"
#include "test.h"

static const char token[] = "00112233445566778899aabbccddeeff";

/* ---- a server in a thread ---- */

typedef struct bench {
  pl_board *board;
  pl_server *server;
  pthread_t thread;
  int port;
  pthread_mutex_t lock;
  int commands[PL_COMMAND_COUNT]; /* that arrived, by kind */
} bench;

static int take(void *context, const pl_command *command)
{
  bench *b = context;
  pthread_mutex_lock(&b->lock);
  b->commands[command->kind]++;
  pthread_mutex_unlock(&b->lock);
  return 1;
}

static int taken(bench *b, pl_command_kind kind)
{
  pthread_mutex_lock(&b->lock);
  int count = b->commands[kind];
  pthread_mutex_unlock(&b->lock);
  return count;
}

/* Waits for as many, 20 s at most. */
static int waited_for(bench *b, pl_command_kind kind, int count)
{
  for (double until = pl_now() + 20; taken(b, kind) < count && pl_now() < until;) poll(NULL, 0, 10);
  return taken(b, kind) == count;
}

static void *serve(void *context)
{
  pl_server_run(((bench *)context)->server, NULL);
  return NULL;
}

static void start(bench *b)
{
  *b = (bench){0};
  pthread_mutex_init(&b->lock, NULL);
  CHECK_OK(pl_board_create(NULL, NULL, &b->board, error));
  pl_server_def def = {.address = "127.0.0.1",
                       .token = token,
                       .board = b->board,
                       .command = take,
                       .context = b,
                       .hello_seconds = 2,
                       .slow_seconds = 2};
  CHECK_OK(pl_server_create(&def, &b->server, error));
  b->port = pl_server_port(b->server);
  pthread_create(&b->thread, NULL, serve, b);
}

static void end(bench *b)
{
  pl_server_end(b->server);
  pthread_join(b->thread, NULL);
  pl_server_destroy(b->server);
  pl_board_destroy(b->board);
  pthread_mutex_destroy(&b->lock);
}

static void pause_ms(int ms) { poll(NULL, 0, ms); }

/* The status of the answer to a request, 0 for none. %d in the request becomes the port. */
static int ask(const bench *b, const char *request, char *answer, size_t room)
{
  char text[2048];
  int fd = dial(b->port), closed, status = 0;
  snprintf(text, sizeof text, request, b->port, b->port);
  put(fd, text, strlen(text));
  // the head is enough
  size_t used = 0;
  double until = pl_now() + 20;
  while (pl_now() < until && !strstr(answer, "\r\n\r\n")) {
    used += get(fd, answer + used, room - 1 - used, 50, &closed);
    answer[used] = 0;
    if (closed) break;
  }
  close(fd);
  sscanf(answer, "HTTP/%*s %d", &status);
  return status;
}

static int status_of(const bench *b, const char *request)
{
  static char answer[65536];
  answer[0] = 0;
  return ask(b, request, answer, sizeof answer);
}

/* ---- files ---- */

TEST(the_page_comes_with_its_guards)
{
  bench b;
  static char answer[65536];
  start(&b);
  CHECK(ask(&b, "GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n", answer, sizeof answer) == 200);
  CHECK(strstr(answer, "content-security-policy: default-src 'none'; script-src 'self';"));
  CHECK(strstr(answer, "x-content-type-options: nosniff"));
  CHECK(strstr(answer, "referrer-policy: no-referrer"));
  CHECK(strstr(answer, "cross-origin-opener-policy: same-origin"));
  CHECK(!strstr(answer, "access-control-allow"));
  CHECK(strstr(answer, "<!doctype html>"));
  CHECK(!strstr(answer, token));
  CHECK(status_of(&b, "GET /app.js HTTP/1.1\r\nHost: localhost:%d\r\n\r\n") == 200);
  CHECK(status_of(&b, "GET /style.css HTTP/1.1\r\nHost: [::1]:%d\r\n\r\n") == 200);
  CHECK(status_of(&b, "GET /nothing HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n") == 404);
  end(&b);
}

TEST(there_is_no_way_to_other_files)
{
  static const char *const paths[] = {"/../../../../etc/passwd", "/..%%2f..%%2fetc/passwd",
                                      "/%%2e%%2e/%%2e%%2e/etc/passwd", "//etc/passwd",
                                      "/app.js/../../etc/passwd"};
  bench b;
  start(&b);
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
    char request[256];
    snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%%d\r\n\r\n", paths[i]);
    int status = status_of(&b, request);
    CHECK(status >= 400 && status < 500);
  }
  CHECK(status_of(&b, "POST / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: 0\r\n\r\n") >= 400);
  end(&b);
}

TEST(foreign_hosts_are_refused)
{
  static const char *const hosts[] = {"evil.example",
                                      "evil.example:%d",
                                      "127.0.0.1",
                                      "127.0.0.1:1",
                                      "127.0.0.1.evil.com:%d",
                                      "localhost.evil.com:%d",
                                      "evil.com:%d#127.0.0.1",
                                      "LOCALHOST:%d",
                                      "127.0.0.1:%d:%d",
                                      "0.0.0.0:%d",
                                      "127.1:%d",
                                      "[::1]",
                                      "127.0.0.1:%d, evil.com",
                                      ""};
  bench b;
  start(&b);
  for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
    char request[256];
    snprintf(request, sizeof request, "GET / HTTP/1.1\r\nHost: %s\r\n\r\n", hosts[i]);
    int status = status_of(&b, request);
    if (status != 403) printf("  %s: %d\n", hosts[i], status);
    CHECK(status == 403);
  }
  CHECK(status_of(&b, "GET / HTTP/1.0\r\n\r\n") != 200);
  CHECK(status_of(&b, "GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nHost: evil.com\r\n\r\n") != 200);
  CHECK(status_of(&b, "GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nOrigin: http://evil.com\r\n\r\n") ==
        403);
  end(&b);
}

/* Names that the user adds are the server's own; there is room for some of them. */
TEST(names_that_were_added_are_answered)
{
  const char *const names[] = {"pond.example",
                               "b",
                               "c",
                               "d",
                               "e",
                               "f",
                               "g",
                               "h",
                               "i",
                               "j",
                               "k",
                               "l",
                               "m",
                               "n",
                               "o",
                               "p",
                               "q"};
  bench b = {0};
  pthread_mutex_init(&b.lock, NULL);
  CHECK_OK(pl_board_create(NULL, NULL, &b.board, error));
  pl_server_def def = {.address = "127.0.0.1",
                       .token = token,
                       .board = b.board,
                       .command = take,
                       .context = &b,
                       .hosts = names,
                       .host_count = 1};
  CHECK_OK(pl_server_create(&def, &b.server, error));
  b.port = pl_server_port(b.server);
  pthread_create(&b.thread, NULL, serve, &b);
  pause_ms(150); // an idle server wakes now and then
  CHECK(status_of(&b, "GET / HTTP/1.1\r\nHost: pond.example:%d\r\n\r\n") == 200);
  CHECK(status_of(&b, "GET / HTTP/1.1\r\nHost: lake.example:%d\r\n\r\n") == 403);
  // nor does another name open a channel
  static const char upgrade[] =
      "GET /ws HTTP/1.1\r\nHost: lake.example:%d\r\nOrigin: http://127.0.0.1:%d\r\n"
      "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
      "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: pliant\r\n\r\n";
  CHECK(status_of(&b, upgrade) == 403);
  end(&b);
  CHECK_OK(pl_board_create(NULL, NULL, &b.board, error));
  def.board = b.board;
  def.host_count = sizeof names / sizeof *names;
  CHECK_FAILS(pl_server_create(&def, &b.server, error), PL_E_LIMIT, "host names");
  pl_board_destroy(b.board);
}

/* ---- pages ---- */

TEST(foreign_origins_are_refused)
{
  static const char *const origins[] = {"Origin: http://evil.example\r\n",
                                        "Origin: null\r\n",
                                        "",
                                        "Origin: https://127.0.0.1:%d\r\n",
                                        "Origin: http://127.0.0.1\r\n",
                                        "Origin: http://localhost:%d\r\n",
                                        "Origin: http://127.0.0.1:%d.evil.com\r\n"};
  bench b;
  start(&b);
  for (size_t i = 0; i < sizeof origins / sizeof *origins; i++) {
    char request[512];
    snprintf(request, sizeof request, "%s%sSec-WebSocket-Protocol: pliant-view\r\n\r\n", UPGRADE,
             origins[i]);
    int status = status_of(&b, request);
    if (status != 403) printf("  %s: %d\n", origins[i], status);
    CHECK(status == 403);
  }
  // the right origin, but no protocol or another one
  CHECK(status_of(&b, UPGRADE "Origin: http://127.0.0.1:%d\r\n\r\n") != 101);
  CHECK(status_of(&b, UPGRADE "Origin: http://127.0.0.1:%d\r\n"
                              "Sec-WebSocket-Protocol: http\r\n\r\n") != 101);
  CHECK(status_of(&b, UPGRADE "Origin: http://127.0.0.1:%d\r\n"
                              "Sec-WebSocket-Protocol: pliant-view\r\n\r\n") == 101);
  end(&b);
}

static void hello(int fd)
{
  char line[64];
  snprintf(line, sizeof line, "hello %s", token);
  say(fd, line);
}

static void post_frame(const bench *b, char letter)
{
  static char frame[100000] = "PLF1";
  frame[4] = letter;
  pl_board_post(b->board, PL_SLOT_FRAME, frame, sizeof frame);
}

TEST(nothing_is_told_without_the_token)
{
  static const char *const lines[] = {"hello",
                                      "hello 00112233445566778899aabbccddeefe",
                                      "hello 00112233445566778899aabbccddeef",
                                      "hello 00112233445566778899aabbccddeefff",
                                      "Hello 00112233445566778899aabbccddeeff",
                                      "play",
                                      "ack",
                                      "drive",
                                      ""};
  bench b;
  start(&b);
  pl_board_post(b.board, PL_SLOT_SCENE, "{\"secret\":1}", 12);
  post_frame(&b, 'a');
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    int fd = upgrade(b.port);
    say(fd, lines[i]);
    heard h = listen_to(fd, 20000);
    CHECK(h.messages == 0 && h.closed);
    close(fd);
  }
  CHECK(taken(&b, PL_COMMAND_play) == 0);
  // who says nothing at all is let go after two seconds
  int fd = upgrade(b.port);
  heard h = listen_to(fd, 20000);
  CHECK(h.messages == 0 && h.closed);
  close(fd);
  end(&b);
}

TEST(a_page_gets_what_is_posted)
{
  bench b;
  start(&b);
  pl_board_post(b.board, PL_SLOT_SCENE, "{}", 2);
  pl_board_post(b.board, PL_SLOT_GEOMETRY, "PLG1", 4);
  int fd = upgrade(b.port);
  hello(fd);
  heard h = LISTEN(fd, messages, 3);
  CHECK(h.drives == 1 && h.messages == 3 && !h.closed);
  post_frame(&b, 'a');
  h = LISTEN(fd, frames, 1);
  CHECK(h.frames == 1);
  say(fd, "ack");
  say(fd, "play");
  say(fd, "set material.0 young 1e5");
  post_frame(&b, 'b');
  h = LISTEN(fd, frames, 1);
  CHECK(h.frames == 1);
  CHECK(waited_for(&b, PL_COMMAND_play, 1) && waited_for(&b, PL_COMMAND_set, 1));
  close(fd);
  end(&b);
}

TEST(one_drives_and_others_watch)
{
  bench b;
  start(&b);
  int first = upgrade(b.port), second = upgrade(b.port);
  hello(first);
  CHECK(LISTEN(first, drives, 1).drives == 1);
  hello(second);
  CHECK(LISTEN(second, watches, 1).watches == 1);
  say(second, "pause");
  say(first, "play");
  CHECK(waited_for(&b, PL_COMMAND_play, 1));
  pause_ms(100);
  CHECK(taken(&b, PL_COMMAND_pause) == 0);
  say(second, "drive");
  CHECK(LISTEN(second, drives, 1).drives == 1);
  CHECK(LISTEN(first, watches, 1).watches == 1);
  say(second, "pause");
  CHECK(waited_for(&b, PL_COMMAND_pause, 1));
  // when the driver goes, what it holds is let go and the other takes over
  close(second);
  CHECK(LISTEN(first, drives, 1).drives == 1);
  CHECK(waited_for(&b, PL_COMMAND_drop, 1));
  close(first);
  end(&b);
}

TEST(malformed_messages_end_the_connection)
{
  static char much[60000];
  memset(much, 'x', sizeof much);
  bench b;
  start(&b);
  for (int attack = 0; attack < 8; attack++) {
    int fd = upgrade(b.port);
    hello(fd);
    CHECK(LISTEN(fd, drives, 1).drives == 1);
    switch (attack) {
    case 0:
      say(fd, "fly to the moon");
      break;
    case 1:
      put_frame(fd, 1, 1, much, 600);
      break;
    case 2:
      put_frame(fd, 1, 1, much, sizeof much);
      break;
    case 3:
      put_frame(fd, 2, 1, "play", 4);
      break;
    case 4: // a message without an end
      put_frame(fd, 1, 0, much, 100);
      for (int i = 0; i < 40; i++) put_frame(fd, 0, 0, much, 100);
      break;
    case 5:
      put_frame(fd, 0x71, 1, "play", 4);
      break; // bits that mean nothing
    case 6:
      put_frame(fd, 7, 1, "play", 4);
      break; // no such kind
    case 7:
      say(fd, "seek 1e300");
      break;
    default:
      break;
    }
    heard h = listen_to(fd, 20000);
    if (!h.closed) printf("  attack %d\n", attack);
    CHECK(h.closed);
    close(fd);
  }
  int fd = upgrade(b.port);
  hello(fd);
  CHECK(LISTEN(fd, drives, 1).drives == 1);
  close(fd);
  end(&b);
}

TEST(there_is_room_for_eight_pages)
{
  bench b;
  start(&b);
  int fds[PL_MOST_CLIENTS];
  for (int i = 0; i < PL_MOST_CLIENTS; i++) {
    fds[i] = upgrade(b.port);
    hello(fds[i]);
    CHECK(LISTEN(fds[i], messages, 1).messages == 1);
  }
  int more = upgrade(b.port);
  hello(more);
  heard h = listen_to(more, 20000);
  CHECK(h.closed && h.messages == 0);
  close(more);
  for (int i = 0; i < PL_MOST_CLIENTS; i++) close(fds[i]);
  // once the server has seen that they are gone
  int drives = 0;
  for (double until = pl_now() + 20; !drives && pl_now() < until; pause_ms(20)) {
    int fd = upgrade(b.port);
    hello(fd);
    drives = LISTEN(fd, messages, 1).drives;
    close(fd);
  }
  CHECK(drives == 1);
  end(&b);
}

TEST(who_has_not_shown_the_token_takes_no_place)
{
  enum { SILENT = 3 * PL_MOST_CLIENTS };
  bench b;
  start(&b);
  int fds[SILENT];
  for (int i = 0; i < SILENT; i++) fds[i] = upgrade(b.port);
  CHECK(fds[SILENT - 1] >= 0);
  int page = upgrade(b.port);
  hello(page);
  heard h = LISTEN(page, drives, 1);
  CHECK(h.drives == 1 && !h.closed);
  close(page);
  for (int i = 0; i < SILENT; i++) close(fds[i]);
  end(&b);
}

TEST(a_page_that_never_reads_is_dropped)
{
  bench b;
  start(&b);
  int lazy = upgrade(b.port), good = upgrade(b.port);
  hello(lazy);
  hello(good);
  LISTEN(good, messages, 1);
  // the good one gets every frame it confirms; the lazy one is not waited for
  int seen = 0;
  for (int i = 0; i < 40; i++) {
    post_frame(&b, (char)('a' + i % 26));
    heard h = LISTEN(good, frames, 1);
    seen += h.frames;
    for (int k = 0; k < h.frames; k++) say(good, "ack");
  }
  CHECK(seen >= 30);
  // two frames of 100 kB and not one more were put on the way, then the line was cut
  heard h = listen_to(lazy, 20000);
  CHECK(h.frames <= 2 && h.closed);
  close(lazy);
  close(good);
  end(&b);
}

/* Stops this process with all its threads; another one lets it go on. */
static void sleep_all(int ms)
{
  pid_t waker = fork();
  if (!waker) {
    poll(NULL, 0, ms);
    kill(getppid(), SIGCONT);
    _exit(0);
  }
  raise(SIGSTOP);
  waitpid(waker, NULL, 0);
}

/* As when the lid of a laptop is shut, or after Ctrl-Z: it was not the page that was slow. */
TEST(nobody_is_dropped_for_a_machine_that_slept)
{
  bench b;
  start(&b);
  int page = upgrade(b.port);
  hello(page);
  post_frame(&b, 'a');
  CHECK(LISTEN(page, frames, 1).frames == 1);
  sleep_all(2500);
  CHECK(!listen_to(page, 300).closed);
  say(page, "ack");
  post_frame(&b, 'b');
  heard h = LISTEN(page, frames, 1);
  CHECK(h.frames == 1 && !h.closed);
  close(page);
  end(&b);
}

TEST(many_connections_do_no_harm)
{
  enum { COUNT = 100 };
  bench b;
  start(&b);
  int good = upgrade(b.port), fds[COUNT];
  hello(good);
  CHECK(LISTEN(good, drives, 1).drives == 1);
  for (int i = 0; i < COUNT; i++) {
    fds[i] = dial(b.port);
    if (fds[i] >= 0 && i % 2) put(fds[i], "GET / HTTP/1.1\r\nHost: x", 23); // and never ends
  }
  post_frame(&b, 'a');
  CHECK(LISTEN(good, frames, 1).frames == 1);
  say(good, "ack");
  // those that say nothing are let go; then there is room again
  int status = 0;
  for (double until = pl_now() + 30; status != 200 && pl_now() < until; pause_ms(100))
    status = status_of(&b, "GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n");
  CHECK(status == 200);
  post_frame(&b, 'b');
  CHECK(LISTEN(good, frames, 1).frames == 1);
  for (int i = 0; i < COUNT; i++) close(fds[i]);
  close(good);
  end(&b);
}

/* Noise, and requests that begin well and end in noise. */
TEST(noise_does_no_harm)
{
  bench b;
  start(&b);
  for (int i = 0; i < 300; i++) {
    char noise[700];
    int fd = i % 3 == 2 ? upgrade(b.port) : dial(b.port);
    if (i % 3 == 1) put(fd, "GET / HTTP/1.1\r\nHost: ", 22);
    if (i % 6 == 5) hello(fd);
    for (size_t k = 0; k < sizeof noise; k++) noise[k] = (char)test_random();
    put(fd, noise, (size_t)(test_random() % sizeof noise));
    close(fd);
  }
  // a head without an end
  int fd = dial(b.port), closed;
  char line[1024], answer[4096];
  memset(line, 'y', sizeof line);
  put(fd, "GET / HTTP/1.1\r\nX: ", 19);
  for (int i = 0; i < 64; i++) put(fd, line, sizeof line);
  get(fd, answer, sizeof answer, 20000, &closed);
  CHECK(closed);
  close(fd);
  CHECK(status_of(&b, "GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n") == 200);
  end(&b);
}

TEST(a_port_in_use_is_told)
{
  bench b;
  start(&b);
  pl_server *second;
  pl_server_def def = {
      .address = "127.0.0.1", .port = b.port, .token = token, .board = b.board, .command = take};
  CHECK_FAILS(pl_server_create(&def, &second, error), PL_E_IO, "in use");
  def.token = "secret";
  CHECK_FAILS(pl_server_create(&def, &second, error), PL_E_ARGUMENT, "hexadecimal");
  end(&b);
}

TESTS(X(the_page_comes_with_its_guards) X(there_is_no_way_to_other_files)
          X(foreign_hosts_are_refused) X(names_that_were_added_are_answered)
              X(foreign_origins_are_refused) X(nothing_is_told_without_the_token)
                  X(a_page_gets_what_is_posted) X(one_drives_and_others_watch)
                      X(malformed_messages_end_the_connection) X(there_is_room_for_eight_pages)
                          X(who_has_not_shown_the_token_takes_no_place)
                              X(a_page_that_never_reads_is_dropped)
                                  X(nobody_is_dropped_for_a_machine_that_slept)
                                      X(many_connections_do_no_harm) X(noise_does_no_harm)
                                          X(a_port_in_use_is_told))
