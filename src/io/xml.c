/* Elements and attributes through libxml2. A pl_xml is an xmlDoc, a pl_xml_node an xmlNode and a
 * pl_xml_pair an xmlAttr under another name, so that no other file sees libxml2. */
#include "io/xml.h"

#include "core/error.h"

#ifdef PL_WITH_XML

#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <libxml/tree.h>

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_once_t parser_once = PTHREAD_ONCE_INIT;

/* What the callbacks of one parse share; xmlParserCtxt::_private points here. */
typedef struct parse_state {
  const char *path;
  pl_status status;
  pl_error *error;
} parse_state;

static const xmlNode *as_node(const pl_xml_node *node) { return (const void *)node; }
static const xmlAttr *as_attr(const pl_xml_pair *pair) { return (const void *)pair; }

/* libxml2's sentence without its line end. */
static void copy_sentence(char *buffer, size_t size, const char *text)
{
  size_t length = text ? strcspn(text, "\n") : 0;
  if (length >= size) length = size - 1;
  if (length) memcpy(buffer, text, length);
  buffer[length] = 0;
}

#if LIBXML_VERSION >= 21200
typedef const xmlError *problem_pointer;
#else
typedef xmlError *problem_pointer;
#endif

/* Keeps the first error; the later ones only follow from it. */
static void keep_error(parse_state *state, const xmlError *problem)
{
  if (!state || state->status || problem->level < XML_ERR_ERROR) return;
  if (problem->code == XML_ERR_NO_MEMORY) {
    state->status = pl_fail_memory(state->error);
    return;
  }
  char sentence[400];
  copy_sentence(sentence, sizeof sentence, problem->message);
  state->status = pl_fail_at(state->error, PL_E_PARSE, state->path, problem->line,
                             "is not well-formed XML: %s", sentence);
}

static void on_error(void *data, problem_pointer problem)
{
  keep_error(((xmlParserCtxt *)data)->_private, problem);
}

/* Errors of libxml2's inner parts, which do not know the parser; unheard, they would be printed. */
static void on_stray_error(void *data, problem_pointer problem) { keep_error(data, problem); }

/* A DTD can define entities that name files or grow without bound: none is read. */
static void on_doctype(void *data, const xmlChar *name, const xmlChar *external,
                       const xmlChar *system)
{
  (void)name, (void)external, (void)system;
  xmlParserCtxt *context = data;
  parse_state *state = context->_private;
  if (!state->status)
    state->status = pl_fail_at(state->error, PL_E_PARSE, state->path, xmlSAX2GetLineNumber(context),
                               "has a document type (<!DOCTYPE ...>); remove it");
  xmlStopParser(context);
}

/* Builds the element and keeps the line of its '<' in it (libxml2's own count ends at 65535 and
 * means the end of the tag). */
static void on_start(void *data, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri,
                     int namespace_count, const xmlChar **namespaces, int attribute_count,
                     int default_count, const xmlChar **attributes)
{
  xmlParserCtxt *context = data;
  xmlSAX2StartElementNs(data, name, prefix, uri, namespace_count, namespaces, attribute_count,
                        default_count, attributes);
  intptr_t line = context->input->line;
  const xmlChar *at = context->input->cur;
  for (; at > context->input->base && *at != '<'; at--) line -= *at == '\n';
  if (context->node) context->node->_private = (void *)line;
}

/* The rest of the text behind the next stop, the end if there is none. */
static const char *behind(const char *at, const char *end, const char *stop)
{
  size_t length = strlen(stop);
  while ((at = memchr(at, stop[0], (size_t)(end - at)))) {
    if ((size_t)(end - at) >= length && memcmp(at, stop, length) == 0) return at + length;
    at++;
  }
  return end;
}

static int begins(const char *at, const char *end, const char *word)
{
  return (size_t)(end - at) >= strlen(word) && memcmp(at, word, strlen(word)) == 0;
}

/* What libxml2 would meet in one start tag. */
typedef struct tag_facts {
  int attributes, namespaces, closed;
} tag_facts;

/* Walks from behind a '<' to behind the '>'. */
static const char *read_tag(const char *at, const char *end, tag_facts *facts)
{
  char quote = 0;
  for (; at < end && (quote || *at != '>'); at++) {
    if (quote)
      quote = *at == quote ? 0 : quote;
    else if (*at == '"' || *at == '\'')
      quote = *at;
    else if (*at == '=')
      facts->attributes++;
    else if (begins(at, end, "xmlns"))
      facts->namespaces++;
  }
  facts->closed = at < end && at[-1] == '/';
  return at;
}

static int line_of(const char *data, const char *at)
{
  int line = 1;
  for (; data < at; data++) line += *data == '\n';
  return line;
}

/* Bounds what costs libxml2 more than linear time: it compares every attribute of an element with
 * those before it and looks namespaces up one by one. Assumes UTF-8, so that '<' is one byte. */
static pl_status check_tags(const char *data, size_t size, const char *path, pl_error *error)
{
  enum { MOST_ATTRIBUTES = 256, MOST_DEPTH = 256, MOST_NAMESPACES = 256 };
  const char *at = data, *end = data + size;
  int depth = 0, namespaces = 0;
  while ((at = memchr(at, '<', (size_t)(end - at)))) {
    if (begins(at, end, "<!--"))
      at = behind(at + 4, end, "-->");
    else if (begins(at, end, "<![CDATA["))
      at = behind(at, end, "]]>");
    else if (begins(at, end, "<?"))
      at = behind(at, end, "?>");
    else if (begins(at, end, "</"))
      at++, depth--;
    else {
      tag_facts facts = {0};
      at = read_tag(at + 1, end, &facts);
      depth += !facts.closed;
      namespaces += facts.namespaces;
      if (facts.attributes > MOST_ATTRIBUTES)
        return pl_fail_at(error, PL_E_LIMIT, path, line_of(data, at),
                          "an element has more than %d attributes; leave some out",
                          MOST_ATTRIBUTES);
      if (depth > MOST_DEPTH)
        return pl_fail_at(error, PL_E_LIMIT, path, line_of(data, at),
                          "elements are nested more than %d deep; close some before", MOST_DEPTH);
      if (namespaces > MOST_NAMESPACES)
        return pl_fail_at(error, PL_E_LIMIT, path, line_of(data, at),
                          "there are more than %d namespaces (xmlns); leave some out",
                          MOST_NAMESPACES);
    }
  }
  return PL_OK;
}

/* Is there memory for the tree? libxml2 takes its own and does not survive that there is none, so
 * the largest that it may need is asked for beforehand: about 250 bytes for an element, twice that
 * for an attribute, and text several times over. */
static int has_room(const char *data, size_t size)
{
  enum { NODE = 256, BASE = 1 << 20 };
  size_t count = 0;
  for (size_t i = 0; i < size; i++) count += data[i] == '<' ? 1 : data[i] == '=' ? 2 : 0;
  void *room = malloc(BASE + 3 * size + NODE * count);
  free(room);
  return room != NULL;
}

static pl_status parse_tree(const char *data, size_t size, const char *path, xmlDoc **tree,
                            pl_error *error)
{
  if (!has_room(data, size)) return pl_fail_memory(error);
  pthread_once(&parser_once, xmlInitParser);
  xmlParserCtxt *context = xmlNewParserCtxt();
  if (!context) return pl_fail_memory(error);
  parse_state state = {.path = path, .error = error};
  context->_private = &state;
  context->sax->serror = on_error;
  context->sax->startElementNs = on_start;
  context->sax->internalSubset = on_doctype;
  context->sax->comment = NULL;
  context->sax->processingInstruction = NULL;

  int options =
      XML_PARSE_NONET | XML_PARSE_NOENT | XML_PARSE_NOCDATA | XML_PARSE_HUGE | XML_PARSE_COMPACT;
  xmlStructuredErrorFunc before = xmlStructuredError;
  void *before_context = xmlStructuredErrorContext;
  xmlSetStructuredErrorFunc(&state, on_stray_error);
  *tree = xmlCtxtReadMemory(context, data, (int)size, path, "UTF-8", options);
  xmlSetStructuredErrorFunc(before_context, before);
  xmlFreeParserCtxt(context);
  if (!state.status && !*tree)
    state.status = pl_fail_at(error, PL_E_PARSE, path, 0, "is not well-formed XML");
  return state.status;
}

pl_status pl_xml_parse(const char *data, size_t size, const char *path, pl_xml **document,
                       pl_error *error)
{
  *document = NULL;
  if (size > INT_MAX)
    return pl_fail_at(error, PL_E_LIMIT, path, 0, "has %zu bytes of XML; at most %d can be read",
                      size, INT_MAX);
  if (size >= 2 && (memcmp(data, "\xff\xfe", 2) == 0 || memcmp(data, "\xfe\xff", 2) == 0))
    return pl_fail_at(error, PL_E_PARSE, path, 0, "is UTF-16 text; save it as UTF-8");
  xmlDoc *tree = NULL;
  pl_status status = check_tags(data, size, path, error);
  if (!status) status = parse_tree(data, size, path, &tree, error);
  if (status) {
    xmlFreeDoc(tree);
    return status;
  }
  *document = (pl_xml *)tree;
  return PL_OK;
}

void pl_xml_destroy(pl_xml *document) { xmlFreeDoc((xmlDoc *)document); }

/* The first element of that name among node and those behind it. */
static pl_xml_node *element_from(const xmlNode *node, const char *name)
{
  for (; node; node = node->next) {
    if (node->type != XML_ELEMENT_NODE) continue;
    if (!name || strcmp((const char *)node->name, name) == 0) break;
  }
  return (pl_xml_node *)node;
}

pl_xml_node *pl_xml_root(const pl_xml *document)
{
  return (pl_xml_node *)xmlDocGetRootElement((const xmlDoc *)document);
}

pl_xml_node *pl_xml_parent(const pl_xml_node *node)
{
  const xmlNode *parent = as_node(node)->parent;
  return parent && parent->type == XML_ELEMENT_NODE ? (pl_xml_node *)parent : NULL;
}

pl_xml_node *pl_xml_child(const pl_xml_node *node, const char *name)
{
  return element_from(as_node(node)->children, name);
}

pl_xml_node *pl_xml_next(const pl_xml_node *node, const char *name)
{
  return element_from(as_node(node)->next, name);
}

const char *pl_xml_name(const pl_xml_node *node) { return (const char *)as_node(node)->name; }

int pl_xml_line(const pl_xml_node *node) { return (int)(intptr_t)as_node(node)->_private; }

const char *pl_xml_text(const pl_xml_node *node)
{
  for (const xmlNode *child = as_node(node)->children; child; child = child->next) {
    const char *text = child->type == XML_TEXT_NODE ? (const char *)child->content : NULL;
    if (text && text[strspn(text, " \t\r\n")]) return text;
  }
  return "";
}

const pl_xml_pair *pl_xml_first(const pl_xml_node *node)
{
  return (const pl_xml_pair *)as_node(node)->properties;
}

const pl_xml_pair *pl_xml_after(const pl_xml_pair *pair)
{
  return (const pl_xml_pair *)as_attr(pair)->next;
}

const char *pl_xml_pair_name(const pl_xml_pair *pair) { return (const char *)as_attr(pair)->name; }

const char *pl_xml_pair_value(const pl_xml_pair *pair)
{
  const xmlNode *text = as_attr(pair)->children;
  return text && text->content ? (const char *)text->content : "";
}

const char *pl_xml_attribute(const pl_xml_node *node, const char *name)
{
  for (const pl_xml_pair *pair = pl_xml_first(node); pair; pair = pl_xml_after(pair)) {
    if (strcmp(pl_xml_pair_name(pair), name) == 0) return pl_xml_pair_value(pair);
  }
  return NULL;
}

pl_status pl_xml_set(pl_xml_node *node, const char *name, const char *value, pl_error *error)
{
  if (xmlValidateNCName((const xmlChar *)name, 0))
    return pl_fail(error, PL_E_ARGUMENT, "\"%.80s\" cannot be the name of an attribute", name);
  if (!xmlCheckUTF8((const unsigned char *)value))
    return pl_fail(error, PL_E_ARGUMENT, "the value of %.80s is not UTF-8 text", name);
  if (!xmlSetProp((xmlNode *)node, (const xmlChar *)name, (const xmlChar *)value))
    return pl_fail_memory(error);
  return PL_OK;
}

pl_status pl_xml_add(pl_xml_node *parent, const char *name, pl_xml_node **out, pl_error *error)
{
  xmlNode *above = (xmlNode *)parent;
  xmlNode *node = xmlNewChild(above, NULL, (const xmlChar *)name, NULL);
  if (!node) return pl_fail_memory(error);
  node->line = above->line;
  *out = (pl_xml_node *)node;
  return PL_OK;
}

#else

pl_status pl_xml_parse(const char *data, size_t size, const char *path, pl_xml **document,
                       pl_error *error)
{
  (void)data, (void)size;
  *document = NULL;
  return pl_fail_at(error, PL_E_UNSUPPORTED, path, 0,
                    "cannot be read: this build has no XML; build with -DPLIANT_WITH_XML=ON");
}

// without a document there is no element to ask, so the rest is never reached
void pl_xml_destroy(pl_xml *document) { (void)document; }
pl_xml_node *pl_xml_root(const pl_xml *document) { return (void)document, NULL; }
pl_xml_node *pl_xml_parent(const pl_xml_node *node) { return (void)node, NULL; }
pl_xml_node *pl_xml_child(const pl_xml_node *node, const char *name)
{
  return (void)node, (void)name, NULL;
}
pl_xml_node *pl_xml_next(const pl_xml_node *node, const char *name)
{
  return (void)node, (void)name, NULL;
}
const char *pl_xml_name(const pl_xml_node *node) { return (void)node, ""; }
int pl_xml_line(const pl_xml_node *node) { return (void)node, 0; }
const char *pl_xml_text(const pl_xml_node *node) { return (void)node, ""; }
const char *pl_xml_attribute(const pl_xml_node *node, const char *name)
{
  return (void)node, (void)name, NULL;
}
const pl_xml_pair *pl_xml_first(const pl_xml_node *node) { return (void)node, NULL; }
const pl_xml_pair *pl_xml_after(const pl_xml_pair *pair) { return (void)pair, NULL; }
const char *pl_xml_pair_name(const pl_xml_pair *pair) { return (void)pair, ""; }
const char *pl_xml_pair_value(const pl_xml_pair *pair) { return (void)pair, ""; }
pl_status pl_xml_set(pl_xml_node *node, const char *name, const char *value, pl_error *error)
{
  (void)node, (void)name, (void)value;
  return pl_fail(error, PL_E_UNSUPPORTED, "this build has no XML");
}

pl_status pl_xml_add(pl_xml_node *parent, const char *name, pl_xml_node **out, pl_error *error)
{
  (void)parent, (void)name, (void)out;
  return pl_fail(error, PL_E_UNSUPPORTED, "this build has no XML");
}

#endif

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
