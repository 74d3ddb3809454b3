#include "core/text/tokenize.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/base/error.hpp"
#include "core/text/token.hpp"
#include "core/text/utf8.hpp"
#include "support/wait.hpp"

namespace attnscope::tokenize_test {

using Catch::Matchers::ContainsSubstring;
using Tokens = std::vector<std::string>;

namespace {

std::vector<std::string> words(std::string_view text) { return texts_of(tokenize(text)); }

}  // namespace

TEST_CASE("words and punctuation are cut apart", "[tokenize]") {
  CHECK(words("The cat sat on the mat") == Tokens{"The", "cat", "sat", "on", "the", "mat"});
  CHECK(words("Hello, world!") == Tokens{"Hello", ",", "world", "!"});
  CHECK(words("(a+b)=c...") == Tokens{"(", "a", "+", "b", ")", "=", "c", ".", ".", "."});
  CHECK(words("well-known") == Tokens{"well", "-", "known"});
  CHECK(words("a—b") == Tokens{"a", "—", "b"});
  CHECK(words("5€ $7 x²") == Tokens{"5", "€", "$", "7", "x²"});
}

TEST_CASE("connectors stay inside words", "[tokenize]") {
  CHECK(words("it's d_model 3.14") == Tokens{"it's", "d_model", "3.14"});
  CHECK(words("l’été aujourd'hui") == Tokens{"l’été", "aujourd'hui"});
  CHECK(words("1,000.50 10.2.3") == Tokens{"1,000.50", "10.2.3"});
  CHECK(words("x_1 __init__") == Tokens{"x_1", "__init__"});
  SECTION("but only between what they connect") {
    CHECK(words("'quoted' dogs' rock 'n' roll") ==
          Tokens{"'", "quoted", "'", "dogs", "'", "rock", "'", "n", "'", "roll"});
    CHECK(words("3. .5 a.b 1,a 2.") == Tokens{"3", ".", ".", "5", "a", ".", "b", "1", ",", "a", "2", "."});
    CHECK(words("it''s 1..2") == Tokens{"it", "'", "'", "s", "1", ".", ".", "2"});
    CHECK(words("it' s") == Tokens{"it", "'", "s"});
  }
}

TEST_CASE("white space and control characters vanish", "[tokenize]") {
  CHECK(words("").empty());
  CHECK(words(" \t\r\n\u00a0\u3000\u2028").empty());
  CHECK(words(std::string_view("a\0b\x01"
                               "c\x7f",
                               6)) == Tokens{"a", "b", "c"});
  CHECK(words("one\r\ntwo\u200bthree") == Tokens{"one", "two", "three"});
  CHECK(words("co\u00adop \ufeffword \u200f") == Tokens{"coop", "word"});
}

TEST_CASE("scripts without spaces are cut by character, those with spaces by word", "[tokenize]") {
  CHECK(words("我喜欢猫。") == Tokens{"我", "喜", "欢", "猫", "。"});
  CHECK(words("東京タワーへ行く") == Tokens{"東", "京", "タ", "ワ", "ー", "へ", "行", "く"});
  CHECK(words("人々 𠮷野") == Tokens{"人", "々", "𠮷", "野"});
  CHECK(words("ABC公司2号") == Tokens{"ABC", "公", "司", "2", "号"});
  CHECK(words("고양이가 앉았다") == Tokens{"고양이가", "앉았다"});
  CHECK(words("สวัสดีครับ ไทย") == Tokens{"สวัสดีครับ", "ไทย"});
  CHECK(words("नमस्ते दुनिया।") == Tokens{"नमस्ते", "दुनिया", "।"});
  CHECK(words("Привет, мир!") == Tokens{"Привет", ",", "мир", "!"});
  CHECK(words("می\u200cخواهم ٣٫١٤") == Tokens{"می\u200cخواهم", "٣٫١٤"});
}

TEST_CASE("equal-looking words are equal tokens", "[tokenize]") {
  CHECK(words("e\u0301te\u0301") == words("\u00e9t\u00e9"));
  CHECK(words("\u1112\u1161\u11ab") == Tokens{"한"});
  CHECK(words("か\u3099") == Tokens{"が"});
  CHECK(words("a\u0323\u0307") == words("a\u0307\u0323"));
  // Normalising in pieces must give the same text at their boundaries.
  for (std::size_t shift = 0; shift < 70; ++shift) {
    const std::string before(shift, 'x');
    std::string composed, decomposed;
    for (int i = 0; i < 200; ++i) {
      composed += "\u00e9한";
      decomposed += "e\u0301\u1112\u1161\u11ab";
    }
    REQUIRE(words(before + decomposed) == words(before + composed));
  }
}

TEST_CASE("a character keeps what clings to it", "[tokenize]") {
  CHECK(words("x\u0305y") == Tokens{"x\u0305y"});
  CHECK(words("+\u20d2 a") == Tokens{"+\u20d2", "a"});
  CHECK(words("a \u0301b") == Tokens{"a", "\u0301b"});
  CHECK(words("葛\U000E0100城") == Tokens{"葛\U000E0100", "城"});
  SECTION("emoji") {
    CHECK(words("I❤️U") == Tokens{"I", "❤️", "U"});
    CHECK(words("👩🏽‍💻👨‍👩‍👧‍👦!") ==
          Tokens{"👩🏽‍💻", "👨‍👩‍👧‍👦", "!"});
    CHECK(words("🇩🇪🇫🇷") == Tokens{"🇩🇪", "🇫🇷"});
    CHECK(words("1️⃣2️⃣ #️⃣") == Tokens{"1️⃣", "2️⃣", "#️⃣"});
    CHECK(words("😀😀") == Tokens{"😀", "😀"});
  }
}

TEST_CASE("what is not UTF-8 is refused with its place", "[tokenize]") {
  const auto offset = [](std::string_view text) { return attnscope::first_invalid_utf8(text); };
  CHECK(offset("caf\xe9") == 3u);
  CHECK(offset("\xc0\xaf") == 0u);          // overlong
  CHECK(offset("a\xed\xa0\x80") == 1u);     // surrogate
  CHECK(offset("\xf4\x90\x80\x80") == 0u);  // beyond U+10FFFF
  CHECK(offset("ab\xe4\xbd") == 2u);        // cut off
  CHECK(offset("é\x80") == 2u);
  CHECK(!offset("日本\U0010FFFF"));
  CHECK_THROWS_WITH(words("caf\xe9 noir"), ContainsSubstring("byte 3 (0xe9)") && ContainsSubstring("UTF-8"));
}

TEST_CASE("messages print any bytes on one line", "[tokenize]") {
  using attnscope::in_quotes;
  CHECK(in_quotes("naïve 猫") == "\"naïve 猫\"");
  CHECK(in_quotes("a\nb\xff") == "\"a\\u{a}b\\xff\"");
  CHECK(in_quotes("x\u202ey") == "\"x\\u{202e}y\"");
  CHECK(in_quotes("猫猫猫", 2) == "\"猫猫…\"");
}

TEST_CASE("markers of models are tokens of their own", "[tokenize]") {
  CHECK(words("[CLS] the cat[SEP]") == Tokens{"[CLS]", "the", "cat", "[SEP]"});
  CHECK(words("<s>oui</s> <|endoftext|> [UNUSED_12] [pad]") ==
        Tokens{"<s>", "oui", "</s>", "<|endoftext|>", "[UNUSED_12]", "[pad]"});
  CHECK(words("a[i] [1] [A] x < y > z <a b> [CLS") == Tokens{"a", "[", "i", "]", "[", "1", "]",
                                                             "[", "A", "]", "x", "<", "y", ">",
                                                             "z", "<", "a", "b", ">", "[", "CLS"});
  CHECK(words("<") == Tokens{"<"});
  CHECK(words("[]<>") == Tokens{"[", "]", "<", ">"});
  for (const std::string marker : {"[CLS]", "[pad]", "<s>", "</s>", "<|endoftext|>"}) {
    CHECK(words(marker) == Tokens{marker});
    CHECK(is_written_as_special(marker));
  }
  for (const std::string word : {"cat", "[]", "[", "a]", "<a b>"}) CHECK_FALSE(is_written_as_special(word));
}

TEST_CASE("a token knows its bytes of the text as it was typed", "[tokenize]") {
  // Decomposed letters become one, soft hyphens vanish: the token's bytes differ from the typed ones.
  const std::string text = " Cafe\u0301, co\u00adop [CLS] \u1112\u1161\u11ab 2 e\u0323\u0301猫! ";
  std::vector<std::string> typed;
  std::int64_t before = 0;
  for (const Token& token : tokenize(text)) {
    CHECK(token.begin >= before);
    CHECK(token.end > token.begin);
    CHECK(token.special == (token.text == "[CLS]"));
    CHECK(token.id == -1);
    before = token.end;
    typed.push_back(text.substr(static_cast<std::size_t>(token.begin),
                                static_cast<std::size_t>(token.end - token.begin)));
    CHECK(words(typed.back()) == Tokens{token.text});
  }
  CHECK(typed == Tokens{"Cafe\u0301", ",", "co\u00adop", "[CLS]", "\u1112\u1161\u11ab", "2", "e\u0323\u0301",
                        "猫", "!"});
  CHECK(before == std::ssize(text) - 1);
}

TEST_CASE("a token stays the same where its text moves", "[tokenize]") {
  const std::vector<Token> here = tokenize("the cat"), there = tokenize("  the   cat");
  CHECK(here != there);
  CHECK(std::ranges::equal(here, there, &Token::is_same));
  CHECK(Token("[CLS]").special);
  CHECK_FALSE(Token("cat").special);
  CHECK_FALSE(Token("cat").is_same(Token("Cat")));
}

TEST_CASE("a long hostile text takes no longer than a long one", "[tokenize]") {
  const auto marks = [](int count) {
    std::string text = "a";
    for (int i = 0; i < count; ++i) text += i % 2 == 0 ? "\u0301" : "\u0323";
    return text;
  };
  const auto commas = [](std::size_t count) { return std::string(count, ','); };
  // A text eight times as long takes eight times as long; with the square it would be 64 times.
  const auto growth = [](const std::string& text, const std::string& longer) {
    const auto seconds = [](const std::string& of) { return test::least_seconds(3, [&] { words(of); }); };
    return seconds(longer) / seconds(text);
  };
  CHECK(words(marks(100'000)).size() == 1);
  CHECK(words(commas(1'000'000)).size() == 1'000'000);
  CHECK(growth(marks(12'500), marks(100'000)) < 25);
  CHECK(growth(commas(12'500), commas(100'000)) < 25);
}

}  // namespace attnscope::tokenize_test
