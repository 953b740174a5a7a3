/* A device of another program, by datagrams of 40 bytes, all numbers little-endian:
 *
 *   to us    "PLH1"  uint32 sequence  float64 time  float64 position x, y, z (m)
 *            "PLG1"  the same with the button pressed: it grips what it touches
 *   from us  "PLF1"  uint32 sequence  float64 time  float64 force x, y, z (N)
 *
 * Every tick takes what has arrived and keeps the newest by its sequence number; an answer with
 * that number and the force goes to whoever sent it. What has another size or name, or is no
 * position within reach, is counted and dropped. A sender that has been silent for a tenth of a
 * second is gone: then nothing is felt. */
#include "core/error.h"
#include "haptic/device.h"
#include "math/vec3.h"

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PORT_AT, LISTEN_AT, REACH_AT, PARAM_COUNT, SIZE = 40, MOST_PER_TICK = 64 };

static const pl_param params[PARAM_COUNT] = {
    {"port", "1", "that is listened at", 47800, 1, 65535, NULL, 1},
    {"listen", "1", "to programs of this machine only, or to all of its networks", 0, 0, 1,
     "loopback|network", 1},
    {"reach", "m", "positions beyond it are refused", 10, 1e-3, 1e3, NULL, 1},
};

static const double SILENCE = 0.1; /* s */

typedef struct peer {
  pl_device base;
  int socket; /* -1: not yet */
  int is_there, grips;
  uint32_t sequence;
  struct sockaddr_in from;
  double x[3], v[3], heard; /* s, when the position came */
} peer;

/* ---- bytes ---- */

static uint64_t get_bits(const unsigned char *bytes, int count)
{
  uint64_t bits = 0;
  for (int i = 0; i < count; i++) bits |= (uint64_t)bytes[i] << 8 * i;
  return bits;
}

static void put_bits(unsigned char *bytes, int count, uint64_t bits)
{
  for (int i = 0; i < count; i++) bytes[i] = (unsigned char)(bits >> 8 * i);
}

static double get_number(const unsigned char *bytes)
{
  uint64_t bits = get_bits(bytes, 8);
  double number;
  memcpy(&number, &bits, sizeof number);
  return number;
}

static void put_number(unsigned char *bytes, double number)
{
  uint64_t bits;
  memcpy(&bits, &number, sizeof bits);
  put_bits(bytes, 8, bits);
}

/* ---- the socket ---- */

static pl_status open_none(pl_device *self, pl_error *error)
{
  (void)error;
  ((peer *)self)->socket = -1;
  return PL_OK;
}

static void close_socket(pl_device *self)
{
  peer *with = (peer *)self;
  if (with->socket >= 0) close(with->socket);
  with->socket = -1;
}

static pl_status open_socket(pl_device *self, pl_error *error)
{
  peer *with = (peer *)self;
  if (with->socket >= 0) return PL_OK;
  int port = (int)self->values[PORT_AT];
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  address.sin_addr.s_addr = htonl(self->values[LISTEN_AT] > 0 ? INADDR_ANY : INADDR_LOOPBACK);
  with->socket = socket(AF_INET, SOCK_DGRAM, 0);
  if (with->socket < 0)
    return pl_fail(error, PL_E_IO, "no socket for the device: %s", strerror(errno));
  if (bind(with->socket, (const struct sockaddr *)&address, sizeof address) == 0) return PL_OK;
  pl_status status =
      pl_fail(error, PL_E_IO, "the device cannot listen at port %d: %s", port, strerror(errno));
  close_socket(self);
  return status;
}

static int is_position(const pl_device *self, const unsigned char *bytes, size_t size, double x[3])
{
  if (size != SIZE || (memcmp(bytes, "PLH1", 4) != 0 && memcmp(bytes, "PLG1", 4) != 0)) return 0;
  for (int k = 0; k < 3; k++) {
    x[k] = get_number(bytes + 16 + 8 * k);
    if (!(fabs(x[k]) <= self->values[REACH_AT])) return 0;
  }
  return 1;
}

/* Takes a position if it is newer than the last one. */
static void take(peer *with, const unsigned char *bytes, const double x[3], double t,
                 const struct sockaddr_in *from)
{
  uint32_t sequence = (uint32_t)get_bits(bytes + 4, 4);
  if (with->is_there && (int32_t)(sequence - with->sequence) <= 0) return;
  double span = t - with->heard;
  for (int k = 0; k < 3; k++)
    with->v[k] = with->is_there && span > 0 ? (x[k] - with->x[k]) / span : 0;
  pl_vec3_copy(x, with->x);
  with->sequence = sequence;
  with->from = *from;
  with->heard = t;
  with->is_there = 1;
  with->grips = bytes[2] == 'G';
}

static int sense(pl_device *self, double t, double x[3], double v[3])
{
  peer *with = (peer *)self;
  for (int i = 0; i < MOST_PER_TICK && with->socket >= 0; i++) {
    unsigned char bytes[SIZE + 1];
    struct sockaddr_in from;
    socklen_t length = sizeof from;
    ssize_t size = recvfrom(with->socket, bytes, sizeof bytes, MSG_DONTWAIT,
                            (struct sockaddr *)&from, &length);
    double place[3];
    if (size < 0) break;
    if (is_position(self, bytes, (size_t)size, place))
      take(with, bytes, place, t, &from);
    else
      self->refused++;
  }
  if (t - with->heard > SILENCE) with->is_there = 0;
  pl_vec3_copy(with->x, x);
  pl_vec3_copy(with->v, v);
  if (!with->is_there) return 0;
  return PL_DEVICE_PRESENT | (with->grips ? PL_DEVICE_GRIPS : 0);
}

static void act(pl_device *self, double t, double dt, const double force[3])
{
  peer *with = (peer *)self;
  unsigned char bytes[SIZE] = "PLF1";
  (void)dt;
  if (!with->is_there) return;
  put_bits(bytes + 4, 4, with->sequence);
  put_number(bytes + 8, t);
  for (int k = 0; k < 3; k++) put_number(bytes + 16 + 8 * k, force[k]);
  // an answer that cannot be sent now would be late anyway
  (void)sendto(with->socket, bytes, sizeof bytes, MSG_DONTWAIT | MSG_NOSIGNAL,
               (const struct sockaddr *)&with->from, sizeof with->from);
}

const pl_device_ops pl_device_udp = {
    .info = {"udp", "a device of another program, by datagrams", "", params, PARAM_COUNT, NULL},
    .is_live = 1,
    .size = sizeof(peer),
    .open = open_none,
    .close = close_socket,
    .start = open_socket,
    .sense = sense,
    .act = act,
};
