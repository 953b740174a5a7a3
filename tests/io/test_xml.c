/* XML documents: what is shown of them, and what is refused. */
#include "io/xml.h"

#include "counter.h"
#include "test.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static pl_status parse(const char *text, pl_xml **document, pl_error *error)
{
  return pl_xml_parse(text, strlen(text), "a.xml", NULL, document, error);
}

TEST(elements_and_attributes)
{
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

/* References become UTF-8, line ends one sign, blanks in values spaces; prefixes are left out. */
TEST(signs_are_those_of_the_recommendation)
{
  pl_xml *document = NULL;
  CHECK_OK(parse("\xef\xbb\xbf<?xml version='1.0'?>\n<n:a xmlns:n='u' n:v='a\t\r\nb&#10;&#x9;'>"
                 "&#x7f;&#xe9;&#8364;&#x1F600;\r\n\rx</n:a>\n<!-- end --><?end?>\n",
                 &document, error));
  if (!document) return;
  const pl_xml_node *a = pl_xml_root(document);
  CHECK(strcmp(pl_xml_name(a), "a") == 0 && pl_xml_line(a) == 2);
  CHECK(strcmp(pl_xml_attribute(a, "v"), "a  b\n\t") == 0 && !pl_xml_after(pl_xml_first(a)));
  CHECK(strcmp(pl_xml_text(a), "\x7f\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\n\nx") == 0);
  pl_xml_destroy(document);
}

/* Each mistake has its line and its own sentence. */
TEST(mistakes_are_named)
{
  static const struct {
    const char *text, *sentence;
  } cases[] = {
      {"<a>\n<b>\n</a>", "a.xml:3: is not well-formed XML: <b> of line 2 is closed by </a>"},
      {"<a>\n<b/>\n", "a.xml:3: is not well-formed XML: <a> of line 1 is not closed"},
      {"<a x=1/>", "has no quotes"},
      {"<a x/>", "the attribute x has no \"=\""},
      {"<a x='1'y='2'/>", "no blank before an attribute of <a>"},
      {"<a\nx='<'/>", "a.xml:2: is not well-formed XML: the value of an attribute holds \"<\""},
      {"<a x='1", "the value of an attribute has no end"},
      {"<a x='1'", "<a is not closed"},
      {"<a 1='2'/>", "is followed by what is no attribute"},
      {"<a x='1' x='2'/>", "<a> has the attribute x twice"},
      {"<a>1 < 2</a>", "write &lt; for it"},
      {"<a>1 & 2</a>", "write &amp; for it"},
      {"<a>&nbsp;</a>", "\"&nbsp;\" stands for nothing here"},
      {"<a>&#0;</a>", "stands for nothing"},
      {"<a>&#xd800;</a>", "stands for nothing"},
      {"<a>&#99999999999;</a>", "stands for nothing"},
      {"<a>]]></a>", "\"]]>\" stands in text"},
      {"<a><!-- x", "a comment has no end"},
      {"<a><!-- x -- y --></a>", "a comment holds \"--\""},
      {"<a><![CDATA[ x</a>", "<![CDATA[ has no end"},
      {"<a><?x", "has no end (?>)"},
      {"<a><?xml version='1.0'?></a>", "stands behind the beginning"},
      {"x<a/>", "text in front of the document's element"},
      {"<a/>x", "text behind the document's element"},
      {"<a/><b/>", "a tag behind the end of the document"},
      {"<a></a", "</a has no \">\""},
      {"</a>", "begins no tag"},
      {"<a>\n\xc3</a>", "a.xml:2: is not well-formed XML: byte 0xc3 is not UTF-8"},
      {"<a>\xed\xa0\x80</a>", "byte 0xed"},
      {"<a>\x01</a>", "byte 0x01"},
      {" \n", "a.xml:2: is not well-formed XML: it has no element"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    pl_xml *document;
    CHECK_FAILS(parse(cases[i].text, &document, error), PL_E_PARSE, cases[i].sentence);
    CHECK(!document);
  }
}

/* Whichever allocation fails, nothing is left behind. */
TEST(failing_allocations)
{
  static const char text[] = "<a><b x='1'/>text</a>";
  for (int k = 0;; k++) {
    counter c = {.fail_at = k + 1};
    pl_allocator allocator = counter_allocator(&c);
    pl_xml *document = NULL;
    pl_status status = pl_xml_parse(text, sizeof text - 1, "a.xml", &allocator, &document, NULL);
    if (!status) status = pl_xml_set(pl_xml_root(document), "long", text, NULL);
    pl_xml_destroy(document);
    CHECK(!c.blocks && (!status || status == PL_E_MEMORY));
    if (!status) break;
  }
}

TEST(refused_documents)
{
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

/* Elements of more attributes or depth than any scene has are refused; large documents are not. */
TEST(limits)
{
  pl_xml *document = NULL;
  char *text = repeat("<a", " a#=''", 300, "/>");
  CHECK_FAILS(parse(text, &document, error), PL_E_LIMIT, "more than 256 attributes");
  free(text);
  text = repeat("", "<a>", 300, "");
  CHECK_FAILS(parse(text, &document, error), PL_E_LIMIT,
              ":1: elements are nested more than 256 deep");
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

/* A tree that does not fit into the memory there is. */
TEST(a_tree_too_large_for_the_memory_is_refused)
{
  enum { COUNT = 400000, SPARE = 24 << 20 };
  if (TEST_SANITIZED) return; // sanitizers need the whole address space
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
    _exit(pl_xml_parse(text, size, "large.xml", NULL, &document, NULL) == PL_E_MEMORY ? 0 : 1);
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  pl_xml *document = NULL;
  CHECK_OK(pl_xml_parse(text, size, "large.xml", NULL, &document, error));
  pl_xml_destroy(document);
  free(text);
}

TESTS(X(elements_and_attributes) X(documents_are_printed) X(signs_are_those_of_the_recommendation)
          X(mistakes_are_named) X(failing_allocations) X(refused_documents) X(odd_text) X(limits)
              X(a_tree_too_large_for_the_memory_is_refused))
