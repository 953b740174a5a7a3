/* The inside of XML documents, shared by what reads them and what shows them. */
#ifndef PL_IO_XML_PARTS_H
#define PL_IO_XML_PARTS_H

#include "io/xml.h"

struct pl_xml_pair {
  const char *name, *value;
  pl_xml_pair *next;
};

struct pl_xml_node {
  const char *name, *text;
  pl_xml *document;
  pl_xml_node *parent, *first, *last, *next;
  pl_xml_pair *pairs, *last_pair;
  int line, depth;
};

struct pl_xml {
  pl_allocator allocator;
  struct pl_xml_chunk *chunks; /* of nodes, pairs and what is added later */
  char *room;
  pl_xml_node *root;
};

/* Room for so many bytes, zeroed, as long as the document lives; NULL: there is no memory. */
void *pl_xml_take(pl_xml *document, size_t size);

/* An element of its own; NULL: there is no memory. The name must live as long as the document. */
pl_xml_node *pl_xml_make(pl_xml *document, const char *name, int line);
void pl_xml_add_child(pl_xml_node *parent, pl_xml_node *node);
void pl_xml_add_pair(pl_xml_node *node, pl_xml_pair *pair);

/* Where the first byte stands that is no UTF-8 or no sign of XML, size where there is none. */
size_t pl_xml_odd_sign(const char *text, size_t size);
int pl_xml_begins_name(char c);
int pl_xml_goes_on_in_name(char c);

#endif
