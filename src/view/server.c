/* HTTP and WebSocket by libwebsockets; one thread does it all. */
#include "view/server.h"

#include "core/error.h"
#include "core/memory.h"
#include "view/asset.h"

#include <libwebsockets.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum {
  HOST_ROOM = 280,
  CHUNK = 16384, /* of a file                                          */
  IN_FLIGHT = 2, /* frames sent that the page has not confirmed yet    */
  MOST_FDS = 80,
  HEADER_BYTES = 8192
};

/* One page. */
typedef struct client {
  struct lws *wsi;
  int known;                        /* has shown the token              */
  int place;                        /* in the server's list             */
  int role_told;                    /* 1: watches, 2: drives            */
  uint32_t versions[PL_SLOT_COUNT]; /* that were sent                   */
  int in_flight;
  int waited; /* seconds without a confirmation   */
  size_t used;
  char line[PL_COMMAND_LINE];
} client;

/* One file on its way out. */
typedef struct transfer {
  const pl_asset *asset;
  size_t sent;
} transfer;

typedef struct mail {
  pl_text text;
  uint32_t version;
} mail;

struct pl_server {
  pl_server_def def;
  pl_allocator allocator;
  struct lws_context *lws;
  struct lws_vhost *host;
  char token[PL_TOKEN_LENGTH + 1];
  char hosts[PL_MOST_HOSTS][HOST_ROOM]; /* as they must stand in the Host header */
  int host_count;
  client *clients[PL_MOST_CLIENTS];
  client *driver;
  mail mails[PL_SLOT_COUNT];
  pl_text note; /* room for short texts */
  atomic_int ending;
  lws_sorted_usec_list_t tick;
};

static pl_server *server_of(struct lws *wsi) { return lws_context_user(lws_get_context(wsi)); }

/* ---- who may speak ---- */

/* The header's whole value; 0 where it is missing or does not fit. */
static int get_header(struct lws *wsi, enum lws_token_indexes which, char *out, int room)
{
  int length = lws_hdr_total_length(wsi, which);
  return length > 0 && length < room && lws_hdr_copy(wsi, out, room, which) == length;
}

/* The Host must be one of ours, letter by letter: a foreign name that leads here is refused. */
static int is_our_host(struct lws *wsi)
{
  const pl_server *server = server_of(wsi);
  char host[HOST_ROOM];
  if (!get_header(wsi, WSI_TOKEN_HOST, host, sizeof host)) return 0;
  for (int i = 0; i < server->host_count; i++) {
    if (strcmp(host, server->hosts[i]) == 0) return 1;
  }
  return 0;
}

/* The Origin must be the page that came from the same Host. */
static int is_our_origin(struct lws *wsi, int needed)
{
  char host[HOST_ROOM], origin[HOST_ROOM + 8];
  if (lws_hdr_total_length(wsi, WSI_TOKEN_ORIGIN) <= 0) return !needed;
  if (!get_header(wsi, WSI_TOKEN_ORIGIN, origin, sizeof origin)) return 0;
  if (!get_header(wsi, WSI_TOKEN_HOST, host, sizeof host)) return 0;
  return strncmp(origin, "http://", 7) == 0 && strcmp(origin + 7, host) == 0;
}

/* Takes as long for any two texts of that length. */
static int is_equal(const char *a, const char *b, size_t size)
{
  unsigned char difference = 0;
  for (size_t i = 0; i < size; i++) difference |= (unsigned char)(a[i] ^ b[i]);
  return difference == 0;
}

/* ---- files ---- */

static int refuse(struct lws *wsi, unsigned int code, const char *why)
{
  if (lws_return_http_status(wsi, code, why)) return -1;
  return lws_http_transaction_completed(wsi) ? -1 : 0;
}

#define POLICY                                                                                     \
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "          \
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors "

static int add_headers(struct lws *wsi, unsigned char **at, unsigned char *end)
{
  // who may show the page in a frame comes first, and is left out for others of this machine
  int framed = server_of(wsi)->def.framed;
  const char *const headers[][2] = {
      {"x-frame-options:", "DENY"},
      {"content-security-policy:",
       framed ? POLICY "http://127.0.0.1:* http://localhost:*" : POLICY "'none'"},
      {"x-content-type-options:", "nosniff"},
      {"referrer-policy:", "no-referrer"},
      {"cross-origin-opener-policy:", "same-origin"},
      {"cross-origin-embedder-policy:", "require-corp"},
      {"cross-origin-resource-policy:", "same-origin"},
      {"cache-control:", "no-store"},
  };
  for (size_t i = framed != 0; i < sizeof headers / sizeof *headers; i++) {
    if (lws_add_http_header_by_name(wsi, (const unsigned char *)headers[i][0],
                                    (const unsigned char *)headers[i][1],
                                    (int)strlen(headers[i][1]), at, end))
      return -1;
  }
  return 0;
}

static const pl_asset *find_asset(const char *path)
{
  if (strcmp(path, "/") == 0) path = "/index.html";
  for (const pl_asset *asset = pl_assets; asset->path; asset++) {
    if (strcmp(asset->path, path) == 0) return asset;
  }
  return NULL;
}

static int begin_file(struct lws *wsi, transfer *out, const char *path)
{
  unsigned char room[LWS_PRE + 2048], *start = room + LWS_PRE, *at = start;
  unsigned char *end = room + sizeof room - 1;
  if (!is_our_host(wsi)) return refuse(wsi, 403, "this server does not go by that name");
  if (!is_our_origin(wsi, 0)) return refuse(wsi, 403, "only this server's own page may ask");
  if (lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) <= 0)
    return refuse(wsi, 405, "there is nothing but GET");
  const pl_asset *asset = find_asset(path);
  if (!asset) return refuse(wsi, 404, "there is no such file");
  if (lws_add_http_common_headers(wsi, 200, asset->type, asset->size, &at, end) ||
      add_headers(wsi, &at, end) || lws_finalize_write_http_header(wsi, start, &at, end))
    return -1;
  *out = (transfer){asset, 0};
  lws_callback_on_writable(wsi);
  return 0;
}

static int go_on_with_file(struct lws *wsi, transfer *out)
{
  unsigned char room[LWS_PRE + CHUNK];
  if (!out->asset) return 0;
  size_t left = out->asset->size - out->sent, size = left < CHUNK ? left : CHUNK;
  memcpy(room + LWS_PRE, out->asset->data + out->sent, size);
  out->sent += size;
  int last = out->sent == out->asset->size;
  if (lws_write(wsi, room + LWS_PRE, size, last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < 0)
    return -1;
  if (!last) return lws_callback_on_writable(wsi) < 0 ? -1 : 0;
  out->asset = NULL;
  return lws_http_transaction_completed(wsi) ? -1 : 0;
}

/* A page wants to speak; greater than zero: it was refused with a message. */
static int confirm_upgrade(struct lws *wsi, const char *to)
{
  const char *why = NULL;
  if (!to || strcmp(to, "websocket") != 0) return -1;
  if (!is_our_host(wsi))
    why = "this server does not go by that name";
  else if (!is_our_origin(wsi, 1))
    why = "only this server's own page may connect";
  if (!why) return 0;
  return lws_return_http_status(wsi, 403, why) ? -1 : 1;
}

static int on_http(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                   size_t size)
{
  (void)size;
  switch (reason) {
  case LWS_CALLBACK_HTTP:
    return begin_file(wsi, user, in);
  case LWS_CALLBACK_HTTP_WRITEABLE:
    return go_on_with_file(wsi, user);
  case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
    return confirm_upgrade(wsi, in);
  case LWS_CALLBACK_HTTP_BODY:
  case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
    return -1; // no forms, no other protocols
  default:
    return 0;
  }
}

/* ---- pages ---- */

static void wake_all(pl_server *server)
{
  for (int i = 0; i < PL_MOST_CLIENTS; i++) {
    if (server->clients[i]) lws_callback_on_writable(server->clients[i]->wsi);
  }
}

/* Who connects has no place in the list until it has shown the token. */
static int enter(pl_server *server, struct lws *wsi, client *page)
{
  *page = (client){.wsi = wsi, .place = -1};
  lws_set_timer_usecs(wsi, (lws_usec_t)server->def.hello_seconds * LWS_US_PER_SEC);
  return 0;
}

static int take_place(pl_server *server, client *page)
{
  int place = 0;
  while (place < PL_MOST_CLIENTS && server->clients[place]) place++;
  if (place == PL_MOST_CLIENTS) {
    lws_close_reason(page->wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION,
                     (unsigned char *)"too many pages", 14);
    return -1;
  }
  page->place = place;
  server->clients[place] = page;
  return 0;
}

static void leave(pl_server *server, client *page)
{
  if (page->place < 0) return;
  server->clients[page->place] = NULL;
  page->place = -1;
  if (server->driver != page) return;
  // a page that lets go of the world lets go of what it holds
  pl_command drop = {.kind = PL_COMMAND_drop};
  server->def.command(server->def.context, &drop);
  server->driver = NULL;
  for (int i = 0; i < PL_MOST_CLIENTS && !server->driver; i++) {
    if (server->clients[i]) server->driver = server->clients[i];
  }
  wake_all(server);
}

/* A page that has not said hello in time, or does not confirm what it gets. Called every second: a
 * machine or a process that was asleep meanwhile counts as one, so that nobody is let go for it. */
static int check_time(pl_server *server, client *page)
{
  if (!page->known) return -1;
  page->waited = page->in_flight ? page->waited + 1 : 0;
  if (page->waited > server->def.slow_seconds) return -1;
  lws_set_timer_usecs(page->wsi, LWS_US_PER_SEC);
  return 0;
}

static int say_hello(pl_server *server, client *page)
{
  static const char word[] = "hello ";
  size_t length = sizeof word - 1;
  if (page->used != length + PL_TOKEN_LENGTH || memcmp(page->line, word, length) != 0 ||
      !is_equal(page->line + length, server->token, PL_TOKEN_LENGTH)) {
    lws_close_reason(page->wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION, (unsigned char *)"token", 5);
    return -1;
  }
  if (take_place(server, page)) return -1;
  page->known = 1;
  if (!server->driver) server->driver = page;
  lws_set_timer_usecs(page->wsi, LWS_US_PER_SEC);
  lws_callback_on_writable(page->wsi);
  return 0;
}

/* What concerns the connection itself; 1 if the line was that. */
static int take_own(pl_server *server, client *page)
{
  if (page->used == 3 && memcmp(page->line, "ack", 3) == 0) {
    if (page->in_flight) page->in_flight--;
    page->waited = 0;
    lws_callback_on_writable(page->wsi);
    return 1;
  }
  if (page->used == 5 && memcmp(page->line, "drive", 5) == 0) {
    server->driver = page;
    wake_all(server);
    return 1;
  }
  return 0;
}

static int take_line(pl_server *server, client *page)
{
  pl_command command;
  if (!page->known) return say_hello(server, page);
  if (take_own(server, page)) return 0;
  if (pl_command_parse(page->line, page->used, &command, NULL)) {
    lws_close_reason(page->wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION, (unsigned char *)"command", 7);
    return -1;
  }
  if (server->driver == page) server->def.command(server->def.context, &command);
  return 0;
}

static int receive(pl_server *server, client *page, const char *data, size_t size)
{
  struct lws *wsi = page->wsi;
  if (lws_is_first_fragment(wsi)) page->used = 0;
  if (lws_frame_is_binary(wsi) || size > sizeof page->line - 1 - page->used) {
    lws_close_reason(wsi, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, (unsigned char *)"message", 7);
    return -1;
  }
  memcpy(page->line + page->used, data, size);
  page->used += size;
  if (!lws_is_final_fragment(wsi)) return 0;
  int outcome = take_line(server, page);
  page->used = 0;
  return outcome;
}

/* ---- what pages get ---- */

static int send_text(pl_server *server, client *page, pl_text *text, int is_binary)
{
  (void)server;
  if (text->failed) return 0;
  size_t size = text->size - LWS_PRE;
  return lws_write(page->wsi, (unsigned char *)text->data + LWS_PRE, size,
                   is_binary ? LWS_WRITE_BINARY : LWS_WRITE_TEXT) < (int)size
             ? -1
             : 0;
}

/* 1: sent, 0: it is up to date, -1: failed. */
static int send_role(pl_server *server, client *page)
{
  static const char lead[LWS_PRE];
  int role = server->driver == page ? 2 : 1;
  if (page->role_told == role) return 0;
  page->role_told = role;
  server->note.size = 0;
  server->note.failed = 0;
  pl_text_bytes(&server->note, lead, LWS_PRE);
  pl_text_add(&server->note, "{\"type\":\"role\",\"driver\":%s}", role == 2 ? "true" : "false");
  return send_text(server, page, &server->note, 0) ? -1 : 1;
}

static int send_slot(pl_server *server, client *page, pl_slot slot)
{
  uint32_t version = pl_board_version(server->def.board, slot);
  mail *letter = &server->mails[slot];
  if (version == page->versions[slot]) return 0;
  if (slot == PL_SLOT_FRAME && page->in_flight >= IN_FLIGHT) return 0;
  if (letter->version != version)
    letter->version = pl_board_read(server->def.board, slot, LWS_PRE, &letter->text);
  page->versions[slot] = letter->version;
  if (slot == PL_SLOT_FRAME && !page->in_flight++) page->waited = 0;
  int is_text = slot == PL_SLOT_SCENE || (slot > PL_SLOT_HELD && slot < PL_SLOT_SAVED);
  return send_text(server, page, &letter->text, !is_text) ? -1 : 1;
}

/* One message for each time the connection is ready. */
static int send_next(pl_server *server, client *page)
{
  if (!page->known) return 0;
  int sent = send_role(server, page);
  for (int slot = 0; slot < PL_SLOT_COUNT && !sent; slot++)
    sent = send_slot(server, page, (pl_slot)slot);
  if (sent > 0) lws_callback_on_writable(page->wsi);
  return sent < 0 ? -1 : 0;
}

static int on_page(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                   size_t size)
{
  pl_server *server = server_of(wsi);
  switch (reason) {
  case LWS_CALLBACK_ESTABLISHED:
    return enter(server, wsi, user);
  case LWS_CALLBACK_CLOSED:
    leave(server, user);
    return 0;
  case LWS_CALLBACK_RECEIVE:
    return receive(server, user, in, size);
  case LWS_CALLBACK_SERVER_WRITEABLE:
    return send_next(server, user);
  case LWS_CALLBACK_TIMER:
    return check_time(server, user);
  case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
    wake_all(server);
    return 0;
  default:
    return 0;
  }
}

static const struct lws_protocols protocols[] = {
    {"http", on_http, sizeof(transfer), 0, 0, NULL, 0},
    {"pliant-view", on_page, sizeof(client), PL_COMMAND_LINE, 0, NULL, 0},
    {NULL, NULL, 0, 0, 0, NULL, 0},
};

/* ---- beginning and end ---- */

static void wake(void *context) { lws_cancel_service(((pl_server *)context)->lws); }

static pl_status add_host(pl_server *server, const char *name, pl_error *error)
{
  if (server->host_count == PL_MOST_HOSTS)
    return pl_fail(error, PL_E_LIMIT, "more than %d host names", PL_MOST_HOSTS);
  // an IPv6 address stands in brackets
  int is_v6 = strchr(name, ':') != NULL;
  int length = snprintf(server->hosts[server->host_count++], HOST_ROOM, is_v6 ? "[%s]:%d" : "%s:%d",
                        name, pl_server_port(server));
  if (length >= HOST_ROOM) return pl_fail(error, PL_E_ARGUMENT, "the host name is too long");
  return PL_OK;
}

static pl_status add_hosts(pl_server *server, pl_error *error)
{
  const pl_server_def *def = &server->def;
  const char *loopback[] = {"127.0.0.1", "localhost", "::1"};
  pl_status status = PL_OK;
  for (int i = 0; i < 3 && !status; i++) status = add_host(server, loopback[i], error);
  if (!status) status = add_host(server, def->address, error);
  for (int i = 0; i < def->host_count && !status; i++)
    status = add_host(server, def->hosts[i], error);
  return status;
}

static pl_status listen_at(pl_server *server, pl_error *error)
{
  // no pings, whose answers are awaited by the wall clock: check_time notices who is gone, and the
  // kernel where nothing is sent
  static const lws_retry_bo_t no_pings;
  struct lws_context_creation_info info = {
      .retry_and_idle_policy = &no_pings,
      .ka_time = 60,
      .ka_probes = 3,
      .ka_interval = 10,
      .port = server->def.port,
      .iface = server->def.address,
      .protocols = protocols,
      .user = server,
      .gid = -1,
      .uid = -1,
      .options = LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND | LWS_SERVER_OPTION_EXPLICIT_VHOSTS,
      .max_http_header_data2 = HEADER_BYTES,
      .fd_limit_per_thread = MOST_FDS,
      .timeout_secs = (unsigned)server->def.hello_seconds,
      .timeout_secs_ah_idle = (unsigned)server->def.hello_seconds,
      .keepalive_timeout = server->def.hello_seconds,
      .vhost_name = "pliant",
  };
  lws_set_log_level(0, NULL);
  server->lws = lws_create_context(&info);
  if (!server->lws) return pl_fail(error, PL_E_IO, "libwebsockets cannot start");
  server->host = lws_create_vhost(server->lws, &info);
  if (!server->host || pl_server_port(server) <= 0)
    return pl_fail(error, PL_E_IO, "port %d at %s cannot be opened; is it in use?",
                   server->def.port, server->def.address);
  return PL_OK;
}

pl_status pl_server_create(const pl_server_def *def, pl_server **out, pl_error *error)
{
  *out = NULL;
  if (!pl_token_is_valid(def->token))
    return pl_fail(error, PL_E_ARGUMENT, "a token must be %d hexadecimal digits", PL_TOKEN_LENGTH);
  pl_allocator allocator = pl_allocator_default();
  pl_server *server = pl_alloc(&allocator, 1, sizeof *server);
  if (!server) return pl_fail_memory(error);
  server->def = *def;
  if (def->hello_seconds <= 0) server->def.hello_seconds = 5;
  if (def->slow_seconds <= 0) server->def.slow_seconds = 10;
  server->allocator = allocator;
  memcpy(server->token, def->token, sizeof server->token);
  atomic_init(&server->ending, 0);
  server->note = pl_text_make(&allocator);
  for (int i = 0; i < PL_SLOT_COUNT; i++) server->mails[i].text = pl_text_make(&allocator);
  pl_status status = listen_at(server, error);
  if (!status) status = add_hosts(server, error);
  if (status) {
    pl_server_destroy(server);
    return status;
  }
  pl_board_on_post(def->board, wake, server);
  *out = server;
  return PL_OK;
}

void pl_server_destroy(pl_server *server)
{
  if (!server) return;
  pl_board_on_post(server->def.board, NULL, NULL);
  if (server->lws) lws_context_destroy(server->lws);
  pl_text_release(&server->note);
  for (int i = 0; i < PL_SLOT_COUNT; i++) pl_text_release(&server->mails[i].text);
  pl_free(&server->allocator, server);
}

int pl_server_port(const pl_server *server)
{
  return server->host ? lws_get_vhost_listen_port(server->host) : 0;
}

static void do_nothing(lws_sorted_usec_list_t *list) { (void)list; }

void pl_server_run(pl_server *server, volatile sig_atomic_t *stop)
{
  while (!(stop && *stop) && !atomic_load(&server->ending)) {
    // a signal that comes right before the wait does not end it: so it ends by itself
    lws_sul_schedule(server->lws, 0, &server->tick, do_nothing, LWS_US_PER_SEC / 10);
    if (lws_service(server->lws, 0) < 0) break;
  }
  lws_sul_cancel(&server->tick);
}

void pl_server_end(pl_server *server)
{
  atomic_store(&server->ending, 1);
  lws_cancel_service(server->lws);
}
