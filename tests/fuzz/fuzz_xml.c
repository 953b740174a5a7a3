/* XML documents: no crash, no leak, an error with a sentence, and what is printed is read as the
 * same elements, attributes and texts (but for blanks beside elements). */
#include "../counter.h"
#include "io/xml.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Elements and attributes, and the text of those that have nothing else. */
static void add_outline(pl_text *out, const pl_xml_node *node)
{
  const pl_xml_node *child = pl_xml_child(node, NULL);
  pl_text_add(out, "<%s", pl_xml_name(node));
  pl_xml_print_attributes(node, out);
  pl_text_add(out, ">");
  if (!child) pl_text_xml(out, pl_xml_text(node));
  for (; child; child = pl_xml_next(child, NULL)) add_outline(out, child);
  pl_text_add(out, "</>");
}

/* The document as text, or its outline; "" where it is refused. */
static pl_text print(int outline, const char *data, size_t size, const pl_allocator *allocator)
{
  pl_xml *document;
  pl_error error = {0};
  pl_text out = pl_text_make(allocator);
  pl_text_add(&out, "%s", "");
  pl_status status = pl_xml_parse(data, size, "fuzz.xml", allocator, &document, &error);
  if (status != error.code || (status && (document || !error.message[0]))) abort();
  if (status) return out;
  if (outline)
    add_outline(&out, pl_xml_root(document));
  else
    pl_xml_print(pl_xml_root(document), 0, &out);
  pl_xml_destroy(document);
  return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  counter c = {0};
  pl_allocator allocator = counter_allocator(&c);
  pl_text text = print(0, (const char *)data, size, &allocator);
  pl_text before = print(1, (const char *)data, size, &allocator);
  pl_text after = print(1, text.data, text.size, &allocator);
  if (strcmp(before.data, after.data) != 0) abort();
  pl_text_release(&text);
  pl_text_release(&before);
  pl_text_release(&after);
  if (c.blocks) abort();
  return 0;
}
