/* XML documents from memory: elements and attributes.
 *
 * Documents are taken as data only: UTF-8, no document type, no entities beyond the five of XML.
 * Comments and processing instructions are not seen. Names come without their namespace prefix,
 * and declarations of namespaces are no attributes. */
#ifndef PL_IO_XML_H
#define PL_IO_XML_H

#include "core/text.h"

typedef struct pl_xml pl_xml;           /* a document */
typedef struct pl_xml_node pl_xml_node; /* an element in it */
typedef struct pl_xml_pair pl_xml_pair; /* an attribute of it */

/* Parses size bytes; path serves messages, allocator (NULL: the default) gives all memory.
 * Everything below lives until pl_xml_destroy. */
pl_status pl_xml_parse(const char *data, size_t size, const char *path,
                       const pl_allocator *allocator, pl_xml **document, pl_error *error);
void pl_xml_destroy(pl_xml *document);

/* Elements; NULL where there is none. A NULL name takes the first of any name. */
pl_xml_node *pl_xml_root(const pl_xml *document);
pl_xml_node *pl_xml_parent(const pl_xml_node *node);
pl_xml_node *pl_xml_child(const pl_xml_node *node, const char *name);
pl_xml_node *pl_xml_next(const pl_xml_node *node, const char *name);
const char *pl_xml_name(const pl_xml_node *node);
/* The line on which the element begins. */
int pl_xml_line(const pl_xml_node *node);

/* The first piece of text directly inside the element that is not blank, "" if there is none. */
const char *pl_xml_text(const pl_xml_node *node);

/* The attribute's value, NULL if it is not there. */
const char *pl_xml_attribute(const pl_xml_node *node, const char *name);

/* All attributes in their order:
 *   for (const pl_xml_pair *pair = pl_xml_first(node); pair; pair = pl_xml_after(pair)) ... */
const pl_xml_pair *pl_xml_first(const pl_xml_node *node);
const pl_xml_pair *pl_xml_after(const pl_xml_pair *pair);
const char *pl_xml_pair_name(const pl_xml_pair *pair);
const char *pl_xml_pair_value(const pl_xml_pair *pair);

/* Gives an attribute a value, adding it where it is missing. */
pl_status pl_xml_set(pl_xml_node *node, const char *name, const char *value, pl_error *error);

/* A new, empty element behind the parent's others, on the parent's line. */
pl_status pl_xml_add(pl_xml_node *parent, const char *name, pl_xml_node **out, pl_error *error);

/* Adds the element's attributes to out as ' name="value"', or the whole element, so deep in others.
 */
void pl_xml_print_attributes(const pl_xml_node *node, pl_text *out);
void pl_xml_print(const pl_xml_node *node, int depth, pl_text *out);

#endif
