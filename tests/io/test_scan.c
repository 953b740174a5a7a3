/* Words, numbers and base 64: what all readers stand on. */
#include "io/base64.h"
#include "io/scan.h"

#include "core/text.h"
#include "test.h"

static pl_status scan_double(const char *text, double *value, pl_error *error)
{
  pl_scan scan = pl_scan_make("a", text, strlen(text));
  return pl_scan_double(&scan, "value", value, error);
}

static int same_bits(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

/* Every decimal is rounded as strtod rounds it: the two ways agree bit by bit. */
TEST(decimals_are_exact)
{
  int differ = 0;
  for (int i = 0; i < 200000; i++) {
    char text[64];
    int digits = 1 + (int)(test_random() % 20), power = (int)(test_random() % 60) - 30;
    double number = test_uniform(), value = 0;
    switch (i % 3) {
    case 0:
      snprintf(text, sizeof text, "%.*e", digits, number * pow(10, power));
      break;
    case 1:
      snprintf(text, sizeof text, "%.*f", digits, number * 1000);
      break;
    default:
      snprintf(text, sizeof text, "%de%d", (int)(test_random() >> 33), power);
    }
    CHECK_OK(scan_double(text, &value, error));
    if (!same_bits(value, strtod(text, NULL))) differ++;
  }
  CHECK(differ == 0);
  static const char *const edges[] = {"9007199254740992",
                                      "9007199254740993",
                                      "9007199254740991e22",
                                      "1e22",
                                      "1e23",
                                      "-0",
                                      "0.1",
                                      "123456789012345678901234567890",
                                      "4.9e-324",
                                      "1e-400",
                                      ".5",
                                      "5.",
                                      "+1",
                                      "1E+05"};
  for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
    double value = 1;
    CHECK_OK(scan_double(edges[i], &value, error));
    CHECK(same_bits(value, strtod(edges[i], NULL)));
  }
}

TEST(words_that_are_no_numbers)
{
  static const char *const bad[] = {"nan", "inf",   "-infinity", "0x10", "1e",    "1e+", ".",
                                    "-",   "1.2.3", "1,5",       "1d5",  "1e999", "abc", "--1"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    double value;
    CHECK_FAILS(scan_double(bad[i], &value, error), PL_E_PARSE, "it must be a finite number");
    CHECK_FAILS(scan_double(bad[i], &value, error), PL_E_PARSE, bad[i]);
  }
  int64_t whole;
  const char *text = "1\n 9223372036854775807 -9223372036854775807 9223372036854775808";
  pl_scan scan = pl_scan_make("a", text, strlen(text));
  CHECK_OK(pl_scan_int(&scan, "value", &whole, error));
  CHECK_OK(pl_scan_int(&scan, "value", &whole, error));
  CHECK(whole == INT64_MAX);
  CHECK_OK(pl_scan_int(&scan, "value", &whole, error));
  CHECK(whole == -INT64_MAX);
  CHECK_FAILS(pl_scan_int(&scan, "value", &whole, error), PL_E_PARSE,
              "a:2: the value is \"9223372036854775808\"; it must be a whole number");
  CHECK_FAILS(pl_scan_int(&scan, "value", &whole, error), PL_E_PARSE,
              "the file ends where the value");
}

TEST(claims)
{
  pl_scan scan = pl_scan_make("a", "0123456789", 10);
  CHECK_OK(pl_scan_claim(&scan, "nodes", 5, 100, 2, error));
  CHECK_FAILS(pl_scan_claim(&scan, "nodes", -1, 100, 2, error), PL_E_PARSE, "is -1");
  CHECK_FAILS(pl_scan_claim(&scan, "nodes", 7, 100, 2, error), PL_E_PARSE, "only 10 bytes follow");
  CHECK_FAILS(pl_scan_claim(&scan, "nodes", INT64_MAX, INT64_MAX, 2, error), PL_E_PARSE, "cut off");
  CHECK_FAILS(pl_scan_claim(&scan, "nodes", 5, 4, 2, error), PL_E_LIMIT, "limit of 4");
}

TEST(byte_order)
{
  const char bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  int other = pl_little_endian();
  CHECK(pl_load_int32(bytes, other) == 0x01020304);
  CHECK(pl_load_int64(bytes, other) == 0x0102030405060708);
  CHECK(pl_load_int32(bytes, !other) == 0x04030201);
  CHECK(pl_load_int64(bytes, !other) == 0x0807060504030201);
}

TEST(base64)
{
  // the examples of RFC 4648, section 10
  static const char *const pairs[][2] = {{"", ""},
                                         {"f", "Zg=="},
                                         {"fo", "Zm8="},
                                         {"foo", "Zm9v"},
                                         {"foob", "Zm9vYg=="},
                                         {"fooba", "Zm9vYmE="},
                                         {"foobar", "Zm9vYmFy"}};
  char bytes[2000], back[2000];
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    pl_text text = pl_text_make(NULL);
    pl_text_add(&text, "%s", "");
    pl_base64_encode(&text, pairs[i][0], strlen(pairs[i][0]));
    CHECK(strcmp(text.data, pairs[i][1]) == 0);
    pl_text_release(&text);
  }
  for (size_t size = 0; size < sizeof bytes; size += 1 + size / 7) {
    pl_text text = pl_text_make(NULL);
    for (size_t i = 0; i < size; i++) bytes[i] = (char)test_random();
    pl_base64_encode(&text, bytes, size);
    CHECK(pl_base64_decode(text.data, text.data + text.size, back, sizeof back) == size);
    CHECK(memcmp(bytes, back, size) == 0);
    pl_text_release(&text);
  }
  // pieces with padding between them, blanks, a limit, an end
  const char *pieces = "Zg==\n Zm8=<Zg==";
  CHECK(pl_base64_decode(pieces, pieces + strlen(pieces), back, sizeof back) == 3);
  CHECK(memcmp(back, "ffo", 3) == 0);
  CHECK(pl_base64_decode(pieces, pieces + strlen(pieces), back, 2) == 2);
}

TESTS(X(decimals_are_exact) X(words_that_are_no_numbers) X(claims) X(byte_order) X(base64))
