// Expressions are read as Oniguruma reads them in Ruby's syntax. The pieces are those of the tokenizers
// library 0.22 (Split, "Isolated").
#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/base/error.hpp"
#include "core/text/utf8.hpp"
#include "core/tokenizers/text/regex.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::tokenizer_regex_test {
namespace {

using namespace attnscope::tokenizers;
using test::message_of;

/// The matches and the texts between them.
std::string cut_at(const std::string& expression, const std::string& text) {
  std::vector<Range> found;
  Regex(expression).find_all(text, found);
  std::string pieces;
  std::size_t at = 0;
  const auto add = [&](std::size_t end) {
    if (end > at) pieces += (pieces.empty() ? "" : "|") + text.substr(at, end - at);
    at = std::max(at, end);
  };
  for (const Range& match : found) {
    add(match.begin);
    add(match.end);
  }
  add(text.size());
  return pieces;
}

std::string refusal(const std::string& expression) {
  return message_of<Error>([&] { Regex{expression}; });
}

struct Case {
  const char* expression;
  const char* text;
  const char* pieces;
};

}  // namespace

TEST_CASE("expressions cut as Oniguruma cuts", "[tokenizers]") {
  const Case cases[] = {
      {R"([\p{L}&&\p{Latin}]+)", "ab 漢字 c&d", "ab| 漢字 |c|&|d"},
      {R"([[a-d]&&[^c]]+)", "abcd c&d", "ab|c|d| c&|d"},
      {R"([a[bc]]+)", "abcabc]a[bd", "abcabc|]|a|[|b|d"},
      {R"([^a[bc]]+)", "abxcy]", "ab|x|c|y]"},
      {R"([\w&&[^\d_]]+)", "a1_b2é٣", "a|1_|b|2|é|٣"},
      {R"([a-z&&[^aeiou]&&[^xyz]]+)", "abcdexyz", "a|bcd|exyz"},
      {R"([^\w&&[^é]]+)", "aé!b", "a|é!|b"},
      {R"([[:alpha:]&&[^a-z]]+)", "abcDEé", "abc|DEé"},
      {R"([\p{Han}ー]+)", "漢字ー々〆。、あ", "漢字ー々|〆。、あ"},
      {R"(\p{Hiragana}+)", "ひらーがなゝ", "ひら|ー|がなゝ"},
      {R"(\p{^L}+|\P{N}+)", "ab12!", "ab|12!"},
      {R"(\h+)", "ab09xyz G", "ab09|xyz G"},
      {R"(\v+)", "a\vb\nc\f", "a|\v|b\nc\f"},
      {R"(a{,2})", "aaaa b", "aa|aa| |b"},
      {R"(\p{N}{1,3}+)", "12345 67", "12345| |67"},
      {R"(\p{N}{2}?)", "12345 6", "12|34|5| |6"},
      {R"(^\s+|\S$)", "  a b\n  c d", "  |a |b|\n|  |c |d"},
      {R"((?m:a.b))", "a\nb a.b", "a\nb| |a.b"},
      {R"(a(?i)b|c)", "aB ac aC c b", "aB| |ac| |aC| c b"},
      {R"([[:punct:]]+)", "a$+<=>^`|~.!«»©", "a|$+<=>^`|~.!«»©"},
      {R"(\p{Punct}+)", "a$+<=>.!«»©", "a$+<=>|.!«»|©"},
      {R"(\w+)", "naïve e\u0301 नमस्ते ²½ x_1", "naïve| |e\u0301| |नमस्ते| |²½| |x_1"},
      {R"([\w]+)", "²½ab", "²½|ab"},
      {R"(\b)", "a e\u0301b ²", "a| |e\u0301b| |²"},
      {R"(\s+)",
       "a\u00A0\u180E \xC2\x85"
       "b\u2028",
       "a|\u00A0|\u180E| \xC2\x85"
       "|b|\u2028"},
      {R"(\p{Uppercase_Letter}\p{Letter}*|\p{Decimal Number}+)", "Abc dE٣4", "Abc| d|E|٣4"},
      {R"([\u4e00-\u9fff]+|\x61+)", "漢字aab", "漢字|aa|b"},
      {R"([a\]\-&]+)", "a]-&b", "a]-&|b"},
      {R"([a&b]+)", "a&b&&c", "a&b&&|c"},
      {R"(\d+|[^\d\s]+)", "a1٣ b", "a|1٣| |b"},
      {R"(\X)", "👍🏽👩\u200D🚀🇩🇪🇩", "👍🏽|👩\u200D🚀|🇩🇪|🇩"},
      {R"(\X)", "e\u0301\u0300x\r\n\n\u200Da", "e\u0301\u0300|x|\r\n|\n|\u200D|a"},
      {R"(\X)", "❤\uFE0F❤\uFE0F👨\u200D👩\u200D👧👨", "❤\uFE0F|❤\uFE0F|👨\u200D👩\u200D👧|👨"},
      {R"(\X)", "한\u1112\u1161\u11ABa\u0600a\u0903", "한|\u1112\u1161\u11AB|a|\u0600a\u0903"},
      {R"(\X)", "नमस्ते", "न|म|स्|ते"},
      {R"((?>[a-z]*b|)c)", "ccb", "ccb"},  // PCRE2's machine code finds both c
      {R"((?>.*|)\w+)", "ab cd", "ab cd"},
  };
  for (const auto& [expression, text, pieces] : cases) {
    INFO(expression);
    CHECK(cut_at(expression, text) == pieces);
  }
}

TEST_CASE("what is empty right behind a match is passed over", "[tokenizers]") {
  const auto matches = [](const std::string& expression, const std::string& text) {
    std::vector<Range> found;
    Regex(expression).find_all(text, found);
    std::string all;
    for (const Range& one : found) all += std::to_string(one.begin) + "-" + std::to_string(one.end) + " ";
    return all;
  };
  CHECK(matches("a|", "banana") == "0-0 1-2 3-4 5-6 ");
  CHECK(matches("a*", "baab") == "0-0 1-3 4-4 ");
  CHECK(matches("(?=B)", "aBBc") == "1-1 2-2 ");
  CHECK(matches("", "é") == "0-0 2-2 ");
  CHECK(matches("x*$", "ab") == "2-2 ");
  CHECK(matches("a*", "").empty());
}

TEST_CASE("what has no counterpart in PCRE2 is refused by its name", "[tokenizers]") {
  CHECK(
      refusal("[a&&]") ==
      "The expression \"[a&&]\" is not supported: it has an && with nothing on one of its sides at byte 0.");
  CHECK(refusal("x[]a]").ends_with("a class that begins with its end, \"[]\" at byte 1."));
  CHECK(refusal("[a[b]").ends_with("a class without its end at byte 0."));
  CHECK(refusal("(?i:[a-z&&[^b]])").ends_with("a class of classes under (?i) at byte 4."));
  CHECK(refusal("(?i)\\p{Lu}").ends_with("a property of case under (?i) at byte 4."));
  CHECK(refusal("(?x) a").ends_with("a group that begins with \"(?x\" at byte 0."));
  CHECK(refusal("a\\X").ends_with("a \\X beside other things at byte 1."));
  CHECK(refusal("\\y").ends_with("an escape that is not known at byte 0."));
  CHECK(refusal("\\xE2").ends_with("a \\x of a byte above 7F at byte 0."));
  CHECK(refusal("[c-a]").ends_with("a range that goes backwards at byte 1."));
  CHECK(refusal("\\p{Nonsense}").find("is not supported: ") != std::string::npos);
  CHECK(refusal(std::string(100, '[')).ends_with("classes nested deeper than 50 at byte 50."));
}

}  // namespace attnscope::tokenizer_regex_test
