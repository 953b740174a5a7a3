/* The door to libxml2: what it shows of a document, and what it refuses. */
#include "io/xml.h"

#include "test.h"

static pl_status parse(const char *text, pl_xml **document, pl_error *error)
{
  return pl_xml_parse(text, strlen(text), "a.xml", document, error);
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

/* Nesting costs no stack: neither the parser nor the release of the tree is recursive. */
TEST(deep_documents)
{
  enum { DEPTH = 100000 };
  char *text = malloc(7 * DEPTH + 1);
  for (int i = 0; i < DEPTH; i++) {
    memcpy(text + 3 * i, "<a>", 3);
    memcpy(text + 3 * DEPTH + 4 * i, "</a>", 4);
  }
  text[7 * DEPTH] = 0;
  pl_xml *document = NULL;
  if (parse(text, &document, NULL) == PL_OK) pl_xml_destroy(document);
  free(text);
}

/* A million attributes would keep libxml2 busy for minutes; signs in comments do not count. */
TEST(many_attributes)
{
  enum { COUNT = 1000000 };
  char *text = malloc(16 * COUNT), *end = text;
  pl_xml *document = NULL;
  end += sprintf(end, "<a ");
  for (int i = 0; i < COUNT; i++) end += sprintf(end, "a%d='>' ", i);
  sprintf(end, "/>");
  CHECK_FAILS(parse(text, &document, error), PL_E_LIMIT, "more than 1000 attributes");

  end = text + sprintf(text, "<a><!--");
  for (int i = 0; i < 5000; i++) end += sprintf(end, " a='");
  end += sprintf(end, "--><![CDATA[");
  for (int i = 0; i < 5000; i++) end += sprintf(end, " a='1'");
  end += sprintf(end, "]]><?x '");
  for (int i = 0; i < 5000; i++) end += sprintf(end, " a='1'");
  sprintf(end, "?><b c='1'>it's</b></a>");
  CHECK_OK(parse(text, &document, error));
  pl_xml_destroy(document);
  free(text);
}

TESTS(X(elements_and_attributes) X(refused_documents) X(deep_documents) X(many_attributes))
