/* The door to libxml2: what it shows of a document, and what it refuses. */
#include "io/xml.h"

#include "test.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static pl_status parse(const char *text, pl_xml **document, pl_error *error)
{
  return pl_xml_parse(text, strlen(text), "a.xml", document, error);
}

/* A build without libxml2 says so, and there is nothing else to test. */
static int has_xml(void)
{
  pl_xml *document;
  pl_error error = {0};
  pl_status status = parse("<a/>", &document, &error);
  pl_xml_destroy(document);
  if (status) CHECK(status == PL_E_UNSUPPORTED && strstr(error.message, "PLIANT_WITH_XML=ON"));
  return status == PL_OK;
}

TEST(elements_and_attributes)
{
  if (!has_xml()) return;
  pl_xml *document = NULL;
  CHECK_OK(
      parse("<a>\n<!-- no -->\n <b x='1' y='&lt;2&#65;'/><c>te<!-- no -->xt<![CDATA[ra]]></c>\n"
            "<b/></a>",
            &document, error));
  if (!document) return;
  pl_xml_node *a = pl_xml_root(document), *b = pl_xml_child(a, NULL), *c = pl_xml_next(b, NULL);
  CHECK(strcmp(pl_xml_name(a), "a") == 0 && strcmp(pl_xml_name(b), "b") == 0);
  CHECK(pl_xml_line(b) == 3 && pl_xml_parent(b) == a && !pl_xml_parent(a));
  CHECK(strcmp(pl_xml_attribute(b, "y"), "<2A") == 0 && !pl_xml_attribute(b, "z"));
  CHECK(strcmp(pl_xml_text(c), "textra") == 0 && strcmp(pl_xml_text(b), "") == 0);
  CHECK(pl_xml_next(b, "b") == pl_xml_next(c, NULL) && !pl_xml_next(pl_xml_next(c, NULL), NULL));
  CHECK(pl_xml_child(a, "c") == c && !pl_xml_child(a, "d"));

  // attributes in their order, then with one changed and one added
  const pl_xml_pair *pair = pl_xml_first(b);
  CHECK(strcmp(pl_xml_pair_name(pair), "x") == 0 && strcmp(pl_xml_pair_value(pair), "1") == 0);
  CHECK(!pl_xml_after(pl_xml_after(pair)) && !pl_xml_first(c));
  CHECK_OK(pl_xml_set(b, "x", "a & <b>", error));
  CHECK_OK(pl_xml_set(b, "z", "", error));
  CHECK(strcmp(pl_xml_attribute(b, "x"), "a & <b>") == 0);
  CHECK(strcmp(pl_xml_attribute(b, "z"), "") == 0);
  CHECK_FAILS(pl_xml_set(b, "1 2", "", error), PL_E_ARGUMENT, "cannot be the name");
  CHECK_FAILS(pl_xml_set(b, "q", "\xff", error), PL_E_ARGUMENT, "not UTF-8");
  pl_xml_destroy(document);
}

/* What is printed is read as the same document. */
TEST(documents_are_printed)
{
  if (!has_xml()) return;
  static const char text[] = "<a>\n  <b x=\"1 &lt; 2\" y=\"&quot;\"/>\n  <c>text &amp; more</c>\n"
                             "  <d>\n    <e/>\n  </d>\n</a>\n";
  pl_xml *document = NULL;
  pl_text out = pl_text_make(NULL);
  CHECK_OK(parse(text, &document, error));
  pl_xml_print(pl_xml_root(document), 0, &out);
  CHECK(!out.failed && strcmp(out.data, text) == 0);
  pl_text_release(&out);
  pl_xml_destroy(document);
}

TEST(refused_documents)
{
  if (!has_xml()) return;
  pl_xml *document;
  CHECK_FAILS(parse("", &document, error), PL_E_PARSE, "a.xml");
  CHECK_FAILS(parse("<a>\n<b>\n</a>", &document, error), PL_E_PARSE, "a.xml:3: is not well-formed");
  CHECK_FAILS(parse("<a x='1' x='2'/>", &document, error), PL_E_PARSE, "a.xml:1: ");
  CHECK_FAILS(parse("<a>\xff</a>", &document, error), PL_E_PARSE, "a.xml:1: ");
  CHECK_FAILS(parse("<!DOCTYPE a SYSTEM 'http://127.0.0.1/a.dtd'>\n<a/>", &document, error),
              PL_E_PARSE, "a.xml:1: has a document type");
  CHECK_FAILS(
      parse("<!DOCTYPE a [<!ENTITY x SYSTEM '/etc/hostname'>]>\n<a>&x;</a>", &document, error),
      PL_E_PARSE, "document type");
  CHECK_FAILS(parse("<a>&x;</a>", &document, error), PL_E_PARSE, "not well-formed");
  CHECK(!document);
}

/* Comments, CDATA and quotes may hold what looks like tags. */
TEST(odd_text)
{
  if (!has_xml()) return;
  pl_xml *document = NULL;
  CHECK_OK(parse("<?xml version='1.0' encoding='UTF-8'?><!-- <a don't = --><a b='>' c=\"'/>\">"
                 "<![CDATA[<x <x]]></a>",
                 &document, error));
  CHECK(strcmp(pl_xml_text(pl_xml_root(document)), "<x <x") == 0);
  pl_xml_destroy(document);
  CHECK_OK(parse("<a\n x='\n'\n>\n<b\n\n/><c/></a>", &document, error));
  pl_xml_node *b = pl_xml_child(pl_xml_root(document), "b");
  CHECK(pl_xml_line(pl_xml_root(document)) == 1 && pl_xml_line(b) == 5);
  CHECK(pl_xml_line(pl_xml_next(b, NULL)) == 7);
  pl_xml_destroy(document);
}

/* Text with count pieces between head and tail, where piece may hold one %d. */
static char *repeat(const char *head, const char *piece, int count, const char *tail)
{
  char *text = malloc(strlen(head) + strlen(tail) + (size_t)count * (strlen(piece) + 8) + 1);
  char *at = text + sprintf(text, "%s", head);
  for (int i = 0; i < count; i++) {
    char number[16];
    snprintf(number, sizeof number, "%d", i);
    const char *mark = strchr(piece, '#');
    at += sprintf(at, "%.*s%s%s", (int)strcspn(piece, "#"), piece, mark ? number : "",
                  mark ? mark + 1 : "");
  }
  strcpy(at, tail);
  return text;
}

/* What would take libxml2 time beyond all measure is refused; large plain documents are not. */
TEST(limits)
{
  if (!has_xml()) return;
  pl_xml *document = NULL;
  char *text = repeat("<a", " a#=''", 300, "/>");
  CHECK_FAILS(parse(text, &document, error), PL_E_LIMIT, "more than 256 attributes");
  free(text);
  text = repeat("", "<a>", 300, "");
  CHECK_FAILS(parse(text, &document, error), PL_E_LIMIT,
              ":1: elements are nested more than 256 deep");
  free(text);
  text = repeat("<a>", "<b xmlns:n#='u'/>", 300, "</a>");
  CHECK_FAILS(parse(text, &document, error), PL_E_LIMIT, "256 namespaces");
  free(text);
  CHECK_FAILS(parse("\xff\xfe<", &document, error), PL_E_PARSE, "save it as UTF-8");

  // line numbers beyond 65535
  text = repeat("<a>", "<b c='1' d='2'/>\n", 100000, "</a>");
  CHECK_OK(parse(text, &document, error));
  free(text);
  if (!document) return;
  int count = 0, line = 0;
  pl_xml_node *node = pl_xml_child(pl_xml_root(document), "b");
  for (; node; node = pl_xml_next(node, "b"), count++) line = pl_xml_line(node);
  CHECK(count == 100000 && line == 100000);
  pl_xml_destroy(document);
}

/* A tree that does not fit into the memory there is: libxml2 would crash, so it is not begun. */
TEST(a_tree_too_large_for_the_memory_is_refused)
{
  enum { COUNT = 400000, SPARE = 24 << 20 };
  if (TEST_SANITIZED || !has_xml()) return; // sanitizers need the whole address space
  char *text = malloc(4 * COUNT + 16);
  size_t size = (size_t)sprintf(text, "<r>");
  for (int i = 0; i < COUNT; i++, size += 4) memcpy(text + size, "<a/>", 4);
  memcpy(text + size, "</r>", 4);
  size += 4;
  pid_t child = fork();
  if (child == 0) {
    long pages = 0;
    FILE *own = fopen("/proc/self/statm", "r");
    if (!own || fscanf(own, "%ld", &pages) != 1) _exit(0); // not on this system
    struct rlimit limit = {0};
    limit.rlim_cur = limit.rlim_max = (rlim_t)(pages * sysconf(_SC_PAGESIZE) + SPARE);
    setrlimit(RLIMIT_AS, &limit);
    pl_xml *document = NULL;
    _exit(pl_xml_parse(text, size, "large.xml", &document, NULL) == PL_E_MEMORY ? 0 : 1);
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  pl_xml *document = NULL;
  CHECK_OK(pl_xml_parse(text, size, "large.xml", &document, error));
  pl_xml_destroy(document);
  free(text);
}

TESTS(X(elements_and_attributes) X(documents_are_printed) X(refused_documents) X(odd_text) X(limits)
          X(a_tree_too_large_for_the_memory_is_refused))
