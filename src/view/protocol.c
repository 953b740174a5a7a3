#include "view/protocol.h"

#include <string.h>

/* ---- numbers ---- */

static void put_u32(pl_text *out, uint32_t value)
{
  unsigned char bytes[4];
  for (int i = 0; i < 4; i++) bytes[i] = (unsigned char)(value >> (8 * i));
  pl_text_bytes(out, bytes, sizeof bytes);
}

static void put_f32(pl_text *out, float value)
{
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  put_u32(out, bits);
}

static void put_f64(pl_text *out, double value)
{
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  put_u32(out, (uint32_t)bits);
  put_u32(out, (uint32_t)(bits >> 32));
}

/* Long lists go as they are where the machine's order is the message's. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
static void put_words(pl_text *out, const void *words, size_t count)
{
  pl_text_bytes(out, words, 4 * count);
}
#else
static void put_words(pl_text *out, const void *words, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    uint32_t word;
    memcpy(&word, (const char *)words + 4 * i, 4);
    put_u32(out, word);
  }
}
#endif

static void put_vector(pl_text *out, const double vector[3])
{
  for (int k = 0; k < 3; k++) put_f32(out, (float)vector[k]);
}

/* ---- messages ---- */

static void put_head(pl_text *out, const char magic[4], uint32_t scene)
{
  pl_text_bytes(out, magic, 4);
  put_u32(out, scene);
}

void pl_write_frame(pl_text *out, const pl_view_frame *frame)
{
  size_t vertices = (size_t)frame->vertex_count;
  put_head(out, "PLF1", frame->scene);
  put_u32(out, frame->number);
  put_u32(out, frame->flags);
  put_f64(out, frame->time);
  put_u32(out, (uint32_t)frame->vertex_count);
  put_u32(out, (uint32_t)frame->tint);
  put_u32(out, (uint32_t)frame->pull_count);
  put_u32(out, (uint32_t)frame->gauge_count);
  put_u32(out, (uint32_t)frame->history_place);
  put_u32(out, (uint32_t)frame->history_count);
  put_f32(out, frame->real_time_factor);
  put_f32(out, frame->step_seconds);
  put_u32(out, (uint32_t)frame->arrows);
  put_u32(out, (uint32_t)frame->local_count);
  put_u32(out, (uint32_t)frame->has_tool);
  put_f32(out, (float)frame->tool_radius);
  put_vector(out, frame->tool_centre);
  put_vector(out, frame->tool_force);
  put_u32(out, (uint32_t)frame->contact_count);
  for (int i = 0; i < frame->pull_count; i++) {
    put_vector(out, frame->pulls[i].position);
    put_vector(out, frame->pulls[i].target);
    put_vector(out, frame->pulls[i].force);
  }
  put_words(out, frame->gauges, (size_t)frame->gauge_count);
  put_words(out, frame->positions, 3 * vertices);
  if (frame->tint != PL_TINT_none) put_words(out, frame->values, vertices);
  if (frame->arrows != PL_ARROWS_none) put_words(out, frame->vectors, 3 * vertices);
  put_words(out, frame->locals, PL_LOCAL_FLOATS * (size_t)frame->local_count);
  put_words(out, frame->contacts, PL_CONTACT_FLOATS * (size_t)frame->contact_count);
  put_words(out, frame->obstacles, PL_AXES_FLOATS * (size_t)frame->obstacle_count);
}

void pl_write_geometry(pl_text *out, uint32_t scene, const pl_surface *surface, const float *rest)
{
  put_head(out, "PLG1", scene);
  put_u32(out, (uint32_t)surface->vertex_count);
  put_u32(out, (uint32_t)surface->triangle_count);
  put_u32(out, (uint32_t)surface->edge_count);
  put_words(out, rest, 3 * (size_t)surface->vertex_count);
  put_words(out, surface->triangles, 3 * (size_t)surface->triangle_count);
  put_words(out, surface->edges, 2 * (size_t)surface->edge_count);
  put_words(out, surface->nodes, (size_t)surface->vertex_count);
  put_words(out, surface->elements, (size_t)surface->triangle_count);
}

void pl_write_textures(pl_text *out, uint32_t scene, int count)
{
  put_head(out, "PLU1", scene);
  put_u32(out, (uint32_t)count);
}

void pl_write_texture(pl_text *out, int body, int triangles, const float *spots, const void *image,
                      size_t size)
{
  put_u32(out, (uint32_t)body);
  put_u32(out, (uint32_t)triangles);
  put_u32(out, (uint32_t)size);
  put_words(out, spots, 6 * (size_t)triangles);
  pl_text_bytes(out, image, size);
  pl_text_bytes(out, "\0\0\0", (4 - size % 4) % 4); // numbers lie at multiples of 4
}

void pl_write_held(pl_text *out, uint32_t scene, const pl_surface *surface,
                   const unsigned char *held)
{
  put_head(out, "PLH1", scene);
  put_u32(out, (uint32_t)surface->vertex_count);
  pl_text_bytes(out, held, (size_t)surface->vertex_count);
}

void pl_write_saved(pl_text *out, uint32_t scene, const pl_text *xml, const pl_text *state)
{
  put_head(out, "PLS1", scene);
  put_u32(out, (uint32_t)xml->size);
  put_u32(out, (uint32_t)state->size);
  pl_text_bytes(out, xml->data, xml->size);
  pl_text_bytes(out, state->data, state->size);
}

void pl_write_thumb(pl_text *out, uint32_t index, const void *png, size_t size)
{
  put_head(out, "PLT1", index);
  put_u32(out, (uint32_t)size);
  pl_text_bytes(out, png, size);
}
