// Normalizers, pre-tokenizers and decoders, each alone.
#include <fstream>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/small_tokenizers.hpp"
#include "core/text/letters.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::tokenizer_stages_test {
namespace {

using namespace attnscope::small_tokenizers;
using test::message_of;

struct Aligned {
  std::string text;
  std::string source;  // of each character, "0-1 1-3"
  bool operator==(const Aligned&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Aligned& one) {
  return out << one.text << " | " << one.source;
}

Aligned after(const Normalizer& normalizer, const std::string& text) {
  AlignedText aligned(text, {0, text.size()});
  normalize(normalizer, aligned);
  std::string source;
  for (std::size_t at = 0; at < aligned.text().size(); at += character_size(aligned.text()[at])) {
    const Range range = aligned.source({at, at + 1});
    source += (at == 0 ? "" : " ") + std::to_string(range.begin) + "-" + std::to_string(range.end);
  }
  return {aligned.text(), source};
}

/// The words with bars between.
std::string cut_by(const PreTokenizer& pre_tokenizer, const std::string& text) {
  std::string words;
  for (const Tokenizer::Word& word : Tokenizer(byte_level({}, pre_tokenizer)).words(text)) {
    words += (words.empty() ? "" : "|") + word.text;
  }
  return words;
}

std::string decoded(Decoder decoder, std::vector<std::string> tokens) {
  return decode_tokens(decoder, std::move(tokens));
}

}  // namespace

TEST_CASE("normalization forms keep what characters stand for", "[tokenizers]") {
  CHECK(after({UnicodeForm::nfd}, "aé") == Aligned{"ae\u0301", "0-1 1-3 1-3"});
  CHECK(after({UnicodeForm::nfc}, "e\u0301x") ==
        Aligned{"éx", "0-1 3-4"});  // as the reference: its first part
  CHECK(after({UnicodeForm::nfd}, "e\u0301\u0327") == Aligned{"e\u0327\u0301", "0-1 1-3 3-5"});  // reordered
  CHECK(after({UnicodeForm::nfc}, "\u1E9B\u0323") == Aligned{"\u1E9B\u0323", "0-3 3-5"});
  CHECK(after({UnicodeForm::nfkc}, "\u1E9B\u0323").text == "\u1E69");
  CHECK(after({UnicodeForm::nfkc}, "ﬁx½") == Aligned{"fix1⁄2", "0-3 0-3 3-4 4-6 4-6 4-6"});
  CHECK(after({UnicodeForm::nfkd}, "Å") == Aligned{"A\u030A", "0-2 0-2"});
  CHECK(after({UnicodeForm::nfd}, "한") == Aligned{"\u1112\u1161\u11AB", "0-3 0-3 0-3"});
  CHECK(after({UnicodeForm::nfc}, "\u1112\u1161\u11ABx") == Aligned{"한x", "0-3 9-10"});
  CHECK(after({UnicodeForm::nfc}, "plain é") == Aligned{"plain é", "0-1 1-2 2-3 3-4 4-5 5-6 6-8"});
}

TEST_CASE("what normalizers put in stands for the character before it", "[tokenizers]") {
  CHECK(after({LowerCase{}}, "AÉİ") == Aligned{"aéi\u0307", "0-1 1-3 3-5 3-5"});
  CHECK(after({Prepend{"▁▁"}}, "éa") == Aligned{"▁▁éa", "0-2 0-2 0-2 2-3"});
  CHECK(after({Prepend{"▁"}}, "") == Aligned{"", ""});
  CHECK(after({Replace{" ", "▁"}}, "a b") == Aligned{"a▁b", "0-1 1-2 2-3"});
  CHECK(after({Replace{"aa", ""}}, "aaabaa") == Aligned{"ab", "2-3 3-4"});
  CHECK(after({Replace{Regex(" {2,}"), "__"}}, "a   b") == Aligned{"a__b", "0-1 3-4 3-4 4-5"});
  CHECK(after({Replace{Regex("a*"), "-"}}, "banana").text == "-b-n-n-");
  CHECK(after({Replace{Regex("a|"), "<>"}}, "aab").text == "<><>b<>");
  CHECK(after({Replace{Regex("(?=b)"), "+"}}, "aab").text == "aa+b");
  CHECK(after({Replace{Regex("x*$"), "!"}}, "").text.empty());
  CHECK(after({StripSpace{}}, " \u3000a b\n") == Aligned{"a b", "4-5 5-6 6-7"});
  CHECK(after({StripSpace{.left = false}}, " a ") == Aligned{" a", "0-1 1-2"});
  CHECK(after({StripSpace{}, Prepend{"x"}}, "  a") == Aligned{"xa", "2-3 2-3"});
  CHECK(after({UnicodeForm::nfd, StripAccents{}}, "éa") == Aligned{"ea", "0-2 2-3"});
}

TEST_CASE("BERT's normalizer drops controls, spaces ideographs and strips accents with the case",
          "[tokenizers]") {
  CHECK(after({BertNormalizer{}}, "B\t\u00ADC\u200D\uFFFDÉ").text == "b ce");
  CHECK(after({BertNormalizer{}}, "猫a") == Aligned{" 猫 a", "0-0 0-3 0-3 3-4"});
  CHECK(after({BertNormalizer{.lowercase = false}}, "É").text == "É");
  CHECK(after({BertNormalizer{.strip_accents = true, .lowercase = false}}, "É").text == "E");
  CHECK(after({BertNormalizer{.strip_accents = false}}, "É").text == "é");
}

TEST_CASE("a text can be cut in every way", "[tokenizers]") {
  const auto by_dash = [](Delimiters delimiters, bool invert = false) {
    return cut_by({Split{"-", delimiters, invert}}, "the-final--countdown");
  };
  CHECK(by_dash(Delimiters::removed) == "the|final|countdown");
  CHECK(by_dash(Delimiters::isolated) == "the|-|final|-|-|countdown");
  CHECK(by_dash(Delimiters::merged_with_previous) == "the-|final-|-|countdown");
  CHECK(by_dash(Delimiters::merged_with_next) == "the|-final|-|-countdown");
  CHECK(by_dash(Delimiters::contiguous) == "the|-|final|--|countdown");
  CHECK(by_dash(Delimiters::removed, true) == "-|-|-");
  CHECK(cut_by({Split{Regex("(?=B)")}}, "aBBc") == "a|B|Bc");  // an empty match cuts too
  CHECK(cut_by({Split{Regex("a|"), Delimiters::merged_with_next}}, "banana bab") == "b|an|an|a |b|ab");
  CHECK(cut_by({Split{Regex("a|"), Delimiters::merged_with_previous}}, "banana bab") == "ba|na|na| |ba|b");
  CHECK(cut_by({Split{Regex("\\d*"), Delimiters::merged_with_next}}, "12 3x") == "12 |3x");
  CHECK(cut_by({Split{Regex(" ?"), Delimiters::removed}}, "12 3x") == "1|2|3|x");
  CHECK(cut_by({BertWords{}}, "Hey, $5 it's\u3000“x”") == "Hey|,|$|5|it|'|s|“|x|”");
  CHECK(cut_by({Whitespace{}}, "Hey, ++it_1's") == "Hey|,|++|it_1|'|s");
  CHECK(cut_by({WhitespaceSplit{}}, " a,\u00A0b\n c ") == "a,|b|c");
  CHECK(cut_by({Digits{}}, "a12b½") == "a|12|b|½");
  CHECK(cut_by({Digits{true}}, "a12b") == "a|1|2|b");
  CHECK(cut_by({Punctuation{}}, "a,,b") == "a|,|,|b");
  CHECK(cut_by({Punctuation{Delimiters::contiguous}}, "a,,b") == "a|,,|b");
  CHECK(cut_by({Whitespace{}, Digits{true}}, "a12 3") == "a|1|2|3");
}

TEST_CASE("Metaspace begins words with its character as its scheme says", "[tokenizers]") {
  using enum Metaspace::Prepend;
  CHECK(cut_by({Metaspace{}}, "Hey  you") == "▁Hey|▁|▁you");
  CHECK(cut_by({Metaspace{}}, " Hey") == "▁Hey");
  CHECK(cut_by({Metaspace{.prepend = never}}, "Hey you") == "Hey|▁you");
  CHECK(cut_by({Metaspace{.split = false}}, "Hey you") == "▁Hey▁you");
  CHECK(cut_by({WhitespaceSplit{}, Metaspace{}}, "a b") == "▁a|▁b");
  CHECK(cut_by({WhitespaceSplit{}, Metaspace{.prepend = first}}, "a b") == "▁a|b");
  const std::vector<Tokenizer::Word> words = Tokenizer(byte_level({}, {Metaspace{}})).words("éa b");
  CHECK(words[0].range == Range{0, 3});
  CHECK(words[1].range == Range{3, 5});
}

TEST_CASE("ByteLevel writes bytes as characters, with or without a space before", "[tokenizers]") {
  CHECK(cut_by({ByteLevel{}}, "I'm é\n") == "I|'m|ĠÃ©|Ċ");
  CHECK(cut_by({ByteLevel{.add_prefix_space = true}}, "x y") == "Ġx|Ġy");
  CHECK(cut_by({ByteLevel{.add_prefix_space = true}}, " x") == "Ġx");
  CHECK(cut_by({ByteLevel{.use_expression = false}}, "x y") == "xĠy");
  CHECK(cut_by({ByteLevel{}, Split{"Ġ"}}, "x y") == "x|Ġ|y");  // the next stage sees the characters
  TokenizerParts parts = byte_level({"Ġ x"}, {ByteLevel{.add_prefix_space = true}});
  const Tokenizer tokenizer(std::move(parts));
  CHECK(ranges_of(tokenizer.encode("x x")) == "0-1 1-3");
}

TEST_CASE("expressions are refused in words", "[tokenizers]") {
  CHECK(message_of<Error>([] { Regex("a("); }) ==
        "The expression \"a(\" is not supported: missing closing parenthesis at byte 2.");
  CHECK(message_of<Error>([] {
          Regex("[a-z&&]");
        }).ends_with("it has an && with nothing on one of its sides at byte 0."));
  const Tokenizer slow(byte_level({}, {Split{Regex("(a+)+$")}}));
  const std::string text("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab");
  const std::string message = message_of<Error>([&] { slow.encode(text); });
  CHECK(message.starts_with("The expression \"(a+)+$\" gave up at byte 0 of the text: match limit exceeded"));
  CHECK(test::is_sentence(message));
}

TEST_CASE("decoders join tokens to a text", "[tokenizers]") {
  CHECK(decoded({}, {"a", "b"}) == "a b");
  CHECK(decoded({DecodeBytes{}}, {"Ãį", "Ã", "©", "Ġx"}) == "\u00CDé x");
  CHECK(decoded({DecodeBytes{}}, {"a", "<|日|>"}) == "a<|日|>");  // no byte alphabet: as it is
  CHECK(decoded({DecodeWordPiece{}}, {"##a", "b", "##c", ",", "do", "n't"}) == "##a bc, don't");
  CHECK(decoded({DecodeWordPiece{.cleanup = false}}, {"a", ","}) == "a ,");
  CHECK(decoded({DecodeMetaspace{}}, {"▁a", "▁b▁"}) == "a b ");
  CHECK(decoded({DecodeMetaspace{.strip_first = false}}, {"▁a"}) == " a");
  CHECK(decoded({DecodeReplace{Regex("a*"), "-"}}, {"aab"}) == "-b-");
  CHECK(decoded({DecodeSuffix{}}, {"a", "b</w>", "c</w>"}) == "ab c");
  const Decoder llama{DecodeReplace{"▁", " "}, DecodeFallback{}, DecodeFuse{}, DecodeStrip{" ", 1, 0}};
  CHECK(decoded(llama, {"▁a", "<0xC3>", "<0xA9>", "▁b", "<0xC3>", "c"}) == "aé b\uFFFDc");
  CHECK(decoded(llama, {"a", "<0xE4>", "<0xB8>", "b"}) == "a\uFFFD\uFFFDb");  // a mark for each byte
  CHECK(decoded(llama, {"▁▁a"}) == " a");
  CHECK(show_token(llama, "▁a") == " a");
  CHECK(show_token(llama, "<0xC3>") == "\\xC3");
  CHECK(show_token(llama, "<0x41>") == "A");
  CHECK(show_token({DecodeBytes{}}, "ä¸") == "\\xE4\\xB8");
}

TEST_CASE("the space that stands for a prefix belongs to the first word, any other to none", "[tokenizers]") {
  for (const bool has_prefix_space : {true, false}) {
    TokenizerParts parts = byte_level({"a b", "Ġ ab"});
    parts.post_processor.trim = PostProcessor::Trim{.has_prefix_space = has_prefix_space};
    const Tokenizer tokenizer(std::move(parts));
    CHECK(ranges_of(tokenizer.encode(" ab ab")) == (has_prefix_space ? "0-3 4-6" : "1-3 4-6"));
    CHECK(ranges_of(tokenizer.encode("ab ab")) == "0-2 3-5");
  }
}

TEST_CASE("broken characters are replaced as in Rust and Python", "[tokenizers]") {
  CHECK(with_replacements("a\xC3") == "a\uFFFD");
  CHECK(with_replacements("\xE4\xB8x") == "\uFFFDx");
  CHECK(with_replacements("\xF0\x9F\x99") == "\uFFFD");
  CHECK(with_replacements("\xF0\x80\x80") == "\uFFFD\uFFFD\uFFFD");
  CHECK(with_replacements("\xED\xA0\x80") == "\uFFFD\uFFFD\uFFFD");
  CHECK(with_replacements("\x80\xFFok") == "\uFFFD\uFFFDok");
}

TEST_CASE("a precompiled map replaces by its shortest prefix", "[tokenizers]") {
  // Units: the root, then 'a' as its child with the value 0: the string "xy".
  std::string map;
  const auto unit = [&](std::uint32_t value) {
    for (int shift = 0; shift < 32; shift += 8) map += static_cast<char>(value >> shift & 0xFF);
  };
  std::vector<std::uint32_t> units(256, 0xFF);
  units[0] = 1 << 10;                         // children begin at 1
  units[1 ^ 'a'] = 'a' | 1 << 8 | (2 << 10);  // a leaf lies at (1 ^ 'a') ^ 2
  units[(1 ^ 'a') ^ 2] = 0x8000'0000;         // its value: 0
  unit(static_cast<std::uint32_t>(4 * units.size()));
  for (const std::uint32_t one : units) unit(one);
  map += std::string("xy\0", 3);
  const Normalizer normalizer{PrecompiledMap(map)};
  CHECK(after(normalizer, "bab") == Aligned{"bxyb", "0-1 1-2 1-2 2-3"});
  CHECK(after(normalizer, "a\u0301b") == Aligned{"xyb", "0-1 1-3 3-4"});  // the whole grapheme
  CHECK(message_of<Error>([&] { PrecompiledMap(map.substr(0, 40)); }) ==
        "The precompiled character map of 40 bytes states 1024 bytes of units.");
  CHECK(from_base64("eHkA") == std::string("xy\0", 3));
  CHECK(from_base64("eHk=") == "xy");
  CHECK(message_of<Error>([] { from_base64("e!"); }) == "\"!\" is no digit of base64.");
}

TEST_CASE("BERT's classes follow Unicode 15, the reference's an older one: the known differences",
          "[tokenizers]") {
  const std::filesystem::path path =
      std::filesystem::path(ATTNSCOPE_SHARED) / "vectors/tokenizers/bert_unicode_exceptions.json";
  if (!std::filesystem::exists(path)) SKIP("no file shared/vectors/tokenizers/bert_unicode_exceptions.json");
  std::ifstream file(path);
  const nlohmann::json known = nlohmann::json::parse(file);
  const auto each = [&](const char* list, auto check) {
    for (const nlohmann::json& one : known.at(list)) {
      INFO(list << " " << one);
      check(static_cast<char32_t>(std::stoul(one.get<std::string>(), nullptr, 16)));
    }
  };
  each("punctuation_only_hf", [](char32_t c) { CHECK_FALSE(is_punctuation(c)); });
  each("punctuation_only_unicode14", [](char32_t c) { CHECK(is_punctuation(c)); });
  each("format_not_dropped", [](char32_t c) { CHECK(is_other(c)); });
  int stripped = 0, kept = 0;
  each("uncased_differs", [&](char32_t c) {
    std::string text;
    append_utf8(text, c);
    (after({BertNormalizer{}}, text).text.empty() ? stripped : kept)++;
  });
  CHECK(stripped == 384);  // marks that the reference does not know yet and keeps
  CHECK(kept == 57);       // letters whose case it knows and we do not, or whose parts or class have changed
}

}  // namespace attnscope::tokenizer_stages_test
