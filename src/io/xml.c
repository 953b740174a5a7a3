/* Elements and attributes of a document: asking, changing, writing. */
#include "io/xml_parts.h"

#include "core/error.h"
#include "core/memory.h"

#include <string.h>

enum { FIRST_CHUNK = 4096, LARGEST_CHUNK = 1 << 20 };

typedef struct pl_xml_chunk {
  struct pl_xml_chunk *before;
  size_t used, size;
} pl_xml_chunk;

/* ---- memory ---- */

void *pl_xml_take(pl_xml *document, size_t size)
{
  size = (size + 15) & ~(size_t)15;
  pl_xml_chunk *now = document->chunks;
  if (!now || now->size - now->used < size) {
    size_t most = now && now->size < LARGEST_CHUNK ? 2 * now->size : FIRST_CHUNK;
    if (now && now->size >= LARGEST_CHUNK) most = LARGEST_CHUNK;
    if (most < size + 64) most = size + 64;
    now = pl_alloc(&document->allocator, 1, most);
    if (!now) return NULL;
    *now = (pl_xml_chunk){document->chunks, 64, most};
    document->chunks = now;
  }
  void *piece = (char *)now + now->used;
  now->used += size;
  return piece;
}

static const char *keep(pl_xml *document, const char *text)
{
  size_t size = strlen(text) + 1;
  char *copy = pl_xml_take(document, size);
  if (copy) memcpy(copy, text, size);
  return copy;
}

void pl_xml_destroy(pl_xml *document)
{
  if (!document) return;
  pl_allocator allocator = document->allocator;
  for (pl_xml_chunk *next, *at = document->chunks; at; at = next) {
    next = at->before;
    pl_free(&allocator, at);
  }
  pl_free(&allocator, document->room);
  pl_free(&allocator, document);
}

/* ---- making ---- */

pl_xml_node *pl_xml_make(pl_xml *document, const char *name, int line)
{
  pl_xml_node *node = pl_xml_take(document, sizeof *node);
  if (!node) return NULL;
  *node = (pl_xml_node){.name = name, .text = "", .document = document, .line = line, .depth = 1};
  return node;
}

void pl_xml_add_child(pl_xml_node *parent, pl_xml_node *node)
{
  node->parent = parent;
  node->depth = parent->depth + 1;
  if (parent->last)
    parent->last->next = node;
  else
    parent->first = node;
  parent->last = node;
}

void pl_xml_add_pair(pl_xml_node *node, pl_xml_pair *pair)
{
  if (node->last_pair)
    node->last_pair->next = pair;
  else
    node->pairs = pair;
  node->last_pair = pair;
}

/* ---- asking ---- */

/* The first of that name among node and those behind it. */
static pl_xml_node *named(pl_xml_node *node, const char *name)
{
  while (node && name && strcmp(node->name, name) != 0) node = node->next;
  return node;
}

pl_xml_node *pl_xml_root(const pl_xml *document) { return document->root; }
pl_xml_node *pl_xml_parent(const pl_xml_node *node) { return node->parent; }
pl_xml_node *pl_xml_child(const pl_xml_node *node, const char *name)
{
  return named(node->first, name);
}
pl_xml_node *pl_xml_next(const pl_xml_node *node, const char *name)
{
  return named(node->next, name);
}
const char *pl_xml_name(const pl_xml_node *node) { return node->name; }
int pl_xml_line(const pl_xml_node *node) { return node->line; }
const char *pl_xml_text(const pl_xml_node *node) { return node->text; }
const pl_xml_pair *pl_xml_first(const pl_xml_node *node) { return node->pairs; }
const pl_xml_pair *pl_xml_after(const pl_xml_pair *pair) { return pair->next; }
const char *pl_xml_pair_name(const pl_xml_pair *pair) { return pair->name; }
const char *pl_xml_pair_value(const pl_xml_pair *pair) { return pair->value; }

static pl_xml_pair *pair_of(const pl_xml_node *node, const char *name)
{
  pl_xml_pair *pair = node->pairs;
  while (pair && strcmp(pair->name, name) != 0) pair = pair->next;
  return pair;
}

const char *pl_xml_attribute(const pl_xml_node *node, const char *name)
{
  const pl_xml_pair *pair = pair_of(node, name);
  return pair ? pair->value : NULL;
}

/* ---- changing ---- */

static int is_name(const char *name)
{
  int good = pl_xml_begins_name(*name);
  for (; *name && good; name++) good = pl_xml_goes_on_in_name(*name) && *name != ':';
  return good;
}

pl_status pl_xml_set(pl_xml_node *node, const char *name, const char *value, pl_error *error)
{
  if (!is_name(name) || pl_xml_odd_sign(name, strlen(name)) != strlen(name))
    return pl_fail(error, PL_E_ARGUMENT, "\"%.80s\" cannot be the name of an attribute", name);
  if (pl_xml_odd_sign(value, strlen(value)) != strlen(value))
    return pl_fail(error, PL_E_ARGUMENT, "the value of %.80s is not UTF-8 text", name);
  pl_xml_pair *pair = pair_of(node, name);
  const char *copy = keep(node->document, value);
  if (!pair && copy) {
    pair = pl_xml_take(node->document, sizeof *pair);
    const char *own = pair ? keep(node->document, name) : NULL;
    if (!own) return pl_fail_memory(error);
    pair->name = own;
    pl_xml_add_pair(node, pair);
  }
  if (!copy) return pl_fail_memory(error);
  pair->value = copy;
  return PL_OK;
}

pl_status pl_xml_add(pl_xml_node *parent, const char *name, pl_xml_node **out, pl_error *error)
{
  const char *own = keep(parent->document, name);
  *out = own ? pl_xml_make(parent->document, own, parent->line) : NULL;
  if (!*out) return pl_fail_memory(error);
  pl_xml_add_child(parent, *out);
  return PL_OK;
}

/* ---- writing ---- */

void pl_xml_print_attributes(const pl_xml_node *node, pl_text *out)
{
  for (const pl_xml_pair *pair = pl_xml_first(node); pair; pair = pl_xml_after(pair)) {
    pl_text_add(out, " %s=\"", pl_xml_pair_name(pair));
    pl_text_xml(out, pl_xml_pair_value(pair));
    pl_text_add(out, "\"");
  }
}

void pl_xml_print(const pl_xml_node *node, int depth, pl_text *out)
{
  const char *name = pl_xml_name(node), *text = pl_xml_text(node);
  const pl_xml_node *child = pl_xml_child(node, NULL);
  pl_text_add(out, "%*s<%s", 2 * depth, "", name);
  pl_xml_print_attributes(node, out);
  if (!child && !*text) {
    pl_text_add(out, "/>\n");
    return;
  }
  pl_text_add(out, ">%s", *text ? "" : "\n");
  pl_text_xml(out, text);
  for (; child; child = pl_xml_next(child, NULL)) pl_xml_print(child, depth + 1, out);
  pl_text_add(out, "%*s</%s>\n", *text ? 0 : 2 * depth, "", name);
}
