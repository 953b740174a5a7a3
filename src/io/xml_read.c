/* A reader of XML 1.0 in UTF-8, without document types: elements, attributes, text.
 *
 * Follows the W3C recommendation "Extensible Markup Language (XML) 1.0 (Fifth Edition)": 2.11 line
 * ends, 3.3.3 attribute values, 4.1 references. It reads the bytes once, from left to right, and
 * writes names, values and text into a room as large as the document: each is followed there by a
 * zero byte and in the document by at least one sign that ends it, so that all fit. Namespaces are
 * not looked up. */
#include "io/xml_parts.h"

#include "core/error.h"
#include "core/memory.h"

#include <limits.h>
#include <string.h>

enum { MOST_ATTRIBUTES = 256, MOST_DEPTH = 256 };

/* ---- signs ---- */

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

int pl_xml_begins_name(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

int pl_xml_goes_on_in_name(char c)
{
  return pl_xml_begins_name(c) || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == ':';
}

static int may_stand(uint32_t code)
{
  if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
  return code < 0xd800 || (code > 0xdfff && code < 0xfffe) || (code > 0xffff && code < 0x110000);
}

/* The length of the sign at that place, 0 where it is no UTF-8 or none of XML. */
static int sign_length(const unsigned char *at, size_t left)
{
  if (at[0] < 0x80) return may_stand(at[0]);
  int length = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (at[0] < 0xc2 || at[0] > 0xf4 || (size_t)length > left) return 0;
  uint32_t code = at[0] & (0xffu >> (length + 1));
  for (int i = 1; i < length; i++) {
    if ((at[i] & 0xc0) != 0x80) return 0;
    code = code << 6 | (at[i] & 0x3f);
  }
  return code >= least[length] && may_stand(code) ? length : 0;
}

size_t pl_xml_odd_sign(const char *text, size_t size)
{
  size_t at = 0;
  while (at < size) {
    int length = sign_length((const unsigned char *)text + at, size - at);
    if (!length) return at;
    at += (size_t)length;
  }
  return size;
}

/* Writes a sign as UTF-8 and returns its end. */
static char *put_sign(char *to, uint32_t code)
{
  if (code < 0x80) {
    *to++ = (char)code;
    return to;
  }
  int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  *to++ = (char)((0xff00u >> (more + 1)) | code >> (6 * more));
  while (more--) *to++ = (char)(0x80 | ((code >> (6 * more)) & 0x3f));
  return to;
}

/* ---- reading ---- */

typedef struct reader {
  pl_xml *document;
  const char *data, *at, *end, *path;
  const char *counted; /* up to where line ends are counted */
  int line;            /* there */
  char *out;           /* where the room is free */
  char *run;           /* where the text that is being read begins in the room */
  pl_xml_node *node;   /* the element that is open */
  pl_error *error;
} reader;

/* The line of the place that is being read. */
static int line_of(reader *r)
{
  while ((r->counted = memchr(r->counted, '\n', (size_t)(r->at - r->counted))))
    r->line++, r->counted++;
  r->counted = r->at;
  return r->line;
}

#define BAD(r, ...)                                                                                \
  pl_fail_at((r)->error, PL_E_PARSE, (r)->path, line_of(r), "is not well-formed XML: " __VA_ARGS__)

static int begins(const reader *r, const char *word)
{
  size_t length = strlen(word);
  return (size_t)(r->end - r->at) >= length && memcmp(r->at, word, length) == 0;
}

/* Where the word comes next, NULL if it does not. */
static const char *find(const char *at, const char *end, const char *word)
{
  size_t length = strlen(word);
  while ((size_t)(end - at) >= length && (at = memchr(at, word[0], (size_t)(end - at)))) {
    if ((size_t)(end - at) >= length && memcmp(at, word, length) == 0) return at;
    at++;
  }
  return NULL;
}

static int skip_blanks(reader *r)
{
  const char *from = r->at;
  while (r->at < r->end && is_blank(*r->at)) r->at++;
  return r->at > from;
}

/* A name at this place, how long it is; 0: none. */
static int name_length(const reader *r)
{
  const char *at = r->at;
  if (at == r->end || !pl_xml_begins_name(*at)) return 0;
  while (at < r->end && pl_xml_goes_on_in_name(*at)) at++;
  return at - r->at > INT_MAX ? INT_MAX : (int)(at - r->at);
}

/* Copies a name of that length without its prefix. */
static const char *copy_name(reader *r, int length)
{
  const char *colon = memchr(r->at, ':', (size_t)length);
  int prefix = colon && colon + 1 < r->at + length ? (int)(colon + 1 - r->at) : 0;
  char *name = r->out;
  memcpy(name, r->at + prefix, (size_t)(length - prefix));
  r->out += length - prefix;
  *r->out++ = 0;
  r->at += length;
  return name;
}

/* "&#65;" or "&#x41;" from behind the '#': the sign's code; 0: it is none. */
static uint32_t code_of(const char *at, const char *end)
{
  uint32_t base = *at == 'x' ? 16 : 10, code = 0;
  if (base == 16) at++;
  if (at == end) return 0;
  for (; at < end; at++) {
    int digit = *at >= '0' && *at <= '9' ? *at - '0' : (*at | 0x20) - 'a' + 10;
    if (digit < 0 || digit >= (int)base || code > 0x110000) return 0;
    code = base * code + (uint32_t)digit;
  }
  return may_stand(code) ? code : 0;
}

/* At a '&'. */
static pl_status read_reference(reader *r)
{
  static const struct {
    char word[5], sign;
  } known[] = {{"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"apos", '\''}, {"quot", '"'}};
  size_t left = (size_t)(r->end - r->at);
  const char *word = r->at + 1, *stop = memchr(r->at, ';', left < 16 ? left : 16);
  if (!stop) return BAD(r, "a \"&\" begins no reference; write &amp; for it");
  int length = (int)(stop - word);
  uint32_t code = 0;
  if (length > 1 && *word == '#') code = code_of(word + 1, stop);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (length == (int)strlen(known[i].word) && memcmp(word, known[i].word, (size_t)length) == 0)
      code = (uint32_t)known[i].sign;
  if (!code) return BAD(r, "\"&%.*s;\" stands for nothing here", length, word);
  r->out = put_sign(r->out, code);
  r->at = stop + 1;
  return PL_OK;
}

/* One sign of text or of a value: line ends become one '\n', blanks in values a space. */
static void copy_sign(reader *r, int in_value)
{
  char c = *r->at++;
  if (c == '\r' && r->at < r->end && *r->at == '\n') return;
  if (c == '\r') c = '\n';
  *r->out++ = in_value && is_blank(c) ? ' ' : c;
}

static pl_status read_sign(reader *r, int in_value)
{
  if (*r->at == '&') return read_reference(r);
  copy_sign(r, in_value);
  return PL_OK;
}

/* From the quote to behind the other. */
static pl_status read_value(reader *r, const char **value)
{
  char quote = r->at < r->end ? *r->at : 0;
  if (quote != '"' && quote != '\'') return BAD(r, "the value of an attribute has no quotes");
  *value = r->out;
  for (r->at++; r->at < r->end && *r->at != quote;) {
    if (*r->at == '<') return BAD(r, "the value of an attribute holds \"<\"; write &lt; for it");
    pl_status status = read_sign(r, 1);
    if (status) return status;
  }
  if (r->at == r->end) return BAD(r, "the value of an attribute has no end");
  r->at++;
  *r->out++ = 0;
  return PL_OK;
}

/* Declarations of namespaces are no attributes. */
static pl_status read_attribute(reader *r, pl_xml_node *node)
{
  int length = name_length(r);
  if (!length) return BAD(r, "<%s is followed by what is no attribute", node->name);
  int is_namespace =
      begins(r, "xmlns") && (length == 5 || r->at[5] == ':'); // xmlns="..." or xmlns:x="..."
  pl_xml_pair *pair = pl_xml_take(r->document, sizeof *pair);
  if (!pair) return pl_fail_memory(r->error);
  pair->name = copy_name(r, length);
  for (const pl_xml_pair *one = node->pairs; one && !is_namespace; one = one->next) {
    if (strcmp(one->name, pair->name) == 0)
      return BAD(r, "<%s> has the attribute %.80s twice", node->name, pair->name);
  }
  skip_blanks(r);
  if (r->at == r->end || *r->at != '=')
    return BAD(r, "the attribute %.80s has no \"=\" and value", pair->name);
  r->at++;
  skip_blanks(r);
  pl_status status = read_value(r, &pair->value);
  if (!status && !is_namespace) pl_xml_add_pair(node, pair);
  return status;
}

/* To behind the '>'; *closed for "<a/>". */
static pl_status read_attributes(reader *r, pl_xml_node *node, int *closed)
{
  for (int count = 0;; count++) {
    int apart = skip_blanks(r);
    if (r->at == r->end) return BAD(r, "<%.80s is not closed by \">\"", node->name);
    *closed = begins(r, "/>");
    if (*closed || *r->at == '>') {
      r->at += *closed ? 2 : 1;
      return PL_OK;
    }
    if (!apart) return BAD(r, "there is no blank before an attribute of <%.80s>", node->name);
    if (count == MOST_ATTRIBUTES)
      return pl_fail_at(r->error, PL_E_LIMIT, r->path, line_of(r),
                        "an element has more than %d attributes; leave some out", MOST_ATTRIBUTES);
    pl_status status = read_attribute(r, node);
    if (status) return status;
  }
}

/* Ends the text in front of a tag; the element keeps the first that is not blank. */
static void end_text(reader *r)
{
  *r->out++ = 0;
  if (!r->node || *r->node->text || !r->run[strspn(r->run, " \t\r\n")])
    r->out = r->run;
  else
    r->node->text = r->run;
}

static pl_status read_start(reader *r)
{
  int line = line_of(r), closed = 0;
  r->at++;
  int length = name_length(r);
  if (!length) return BAD(r, "a \"<\" begins no tag; write &lt; for it");
  pl_xml_node *node = pl_xml_make(r->document, copy_name(r, length), line);
  if (!node) return pl_fail_memory(r->error);
  if (r->node) pl_xml_add_child(r->node, node);
  if (node->depth > MOST_DEPTH)
    return pl_fail_at(r->error, PL_E_LIMIT, r->path, line_of(r),
                      "elements are nested more than %d deep; close some before", MOST_DEPTH);
  if (!r->document->root) r->document->root = node;
  pl_status status = read_attributes(r, node, &closed);
  if (!closed) r->node = node;
  r->run = r->out;
  return status;
}

/* At "</". */
static pl_status read_end(reader *r)
{
  r->at += 2;
  int length = name_length(r);
  char *before = r->out; // the name is only compared
  const char *name = copy_name(r, length);
  if (strcmp(name, r->node->name) != 0)
    return BAD(r, "<%.80s> of line %d is closed by </%.80s>", r->node->name, r->node->line, name);
  r->out = before;
  skip_blanks(r);
  if (r->at == r->end || *r->at != '>') return BAD(r, "</%.80s has no \">\"", r->node->name);
  r->at++;
  r->node = r->node->parent;
  r->run = r->out;
  return PL_OK;
}

static pl_status skip_comment(reader *r)
{
  const char *stop = find(r->at + 4, r->end, "--");
  if (!stop) return BAD(r, "a comment has no end (-->)");
  if (stop + 2 == r->end || stop[2] != '>') {
    r->at = stop;
    return BAD(r, "a comment holds \"--\"");
  }
  r->at = stop + 3;
  return PL_OK;
}

/* "<?name ...?>"; <?xml ...?> may only stand at the very beginning. */
static pl_status skip_instruction(reader *r)
{
  const char *stop = find(r->at, r->end, "?>");
  if (!stop) return BAD(r, "\"<?\" has no end (?>)");
  int is_declaration = begins(r, "<?xml") && is_blank(r->at[5]);
  if (is_declaration && r->at != r->data) return BAD(r, "<?xml ...?> stands behind the beginning");
  r->at = stop + 2;
  return PL_OK;
}

static pl_status read_section(reader *r)
{
  const char *stop = find(r->at, r->end, "]]>");
  if (!stop || !r->node) return BAD(r, "<![CDATA[ has no end (]]>) or stands outside of elements");
  for (r->at += 9; r->at < stop;) copy_sign(r, 0);
  r->at = stop + 3;
  return PL_OK;
}

/* Text up to the next '<'. */
static pl_status read_text(reader *r)
{
  while (r->at < r->end && *r->at != '<') {
    if (!r->node && !is_blank(*r->at))
      return BAD(r, "there is text %s the document's element",
                 r->document->root ? "behind" : "in front of");
    if (begins(r, "]]>")) return BAD(r, "\"]]>\" stands in text; write ]]&gt; for it");
    pl_status status = read_sign(r, 0);
    if (status) return status;
  }
  return PL_OK;
}

static pl_status read_tag(reader *r)
{
  end_text(r);
  if (begins(r, "</") && r->node) return read_end(r);
  if (!r->node && r->document->root) return BAD(r, "there is a tag behind the end of the document");
  return read_start(r);
}

/* What comes next, whatever it is. */
static pl_status read_piece(reader *r)
{
  if (*r->at != '<') return read_text(r);
  if (begins(r, "<!--")) return skip_comment(r);
  if (begins(r, "<?")) return skip_instruction(r);
  if (begins(r, "<![CDATA[")) return read_section(r);
  if (begins(r, "<!DOCTYPE"))
    return pl_fail_at(r->error, PL_E_PARSE, r->path, line_of(r),
                      "has a document type (<!DOCTYPE ...>); remove it");
  return read_tag(r);
}

static pl_status read_document(reader *r)
{
  if (begins(r, "\xef\xbb\xbf")) r->data = r->at += 3;
  while (r->at < r->end) {
    pl_status status = read_piece(r);
    if (status) return status;
  }
  if (!r->document->root) return BAD(r, "it has no element");
  if (r->node) return BAD(r, "<%.80s> of line %d is not closed", r->node->name, r->node->line);
  return PL_OK;
}

/* All signs are those of UTF-8 and XML. */
static pl_status check_signs(reader *r)
{
  size_t size = (size_t)(r->end - r->data), odd = pl_xml_odd_sign(r->data, size);
  if (odd == size) return PL_OK;
  r->at = r->data + odd;
  return BAD(r, "byte 0x%02x is not UTF-8 text", (unsigned char)*r->at);
}

pl_status pl_xml_parse(const char *data, size_t size, const char *path,
                       const pl_allocator *allocator, pl_xml **document, pl_error *error)
{
  *document = NULL;
  if (size > INT_MAX)
    return pl_fail_at(error, PL_E_LIMIT, path, 0, "has %zu bytes of XML; at most %d can be read",
                      size, INT_MAX);
  if (size >= 2 && (memcmp(data, "\xff\xfe", 2) == 0 || memcmp(data, "\xfe\xff", 2) == 0))
    return pl_fail_at(error, PL_E_PARSE, path, 0, "is UTF-16 text; save it as UTF-8");
  pl_allocator source = pl_allocator_or_default(allocator);
  pl_xml *made = pl_alloc(&source, 1, sizeof *made);
  if (!made) return pl_fail_memory(error);
  *made = (pl_xml){.allocator = source, .room = pl_alloc(&source, size + 2, 1)};
  reader r = {.document = made,
              .data = data,
              .at = data,
              .end = data + size,
              .path = path,
              .counted = data,
              .line = 1,
              .out = made->room,
              .run = made->room,
              .error = error};
  pl_status status = made->room ? check_signs(&r) : pl_fail_memory(error);
  r.at = data;
  if (!status) status = read_document(&r);
  if (status)
    pl_xml_destroy(made);
  else
    *document = made;
  return status;
}
