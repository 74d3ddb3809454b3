// Byte pair encoding: order of merges, unknown characters, bytes; and that byte-level tokenizers lose
// nothing.
#include <algorithm>
#include <random>

#include <catch2/catch_test_macros.hpp>

#include "core/base/error.hpp"
#include "core/small_tokenizers.hpp"
#include "core/text/letters.hpp"
#include "core/tokenizers/named_pre_tokenizers.hpp"
#include "support/seeds.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::tokenizer_bpe_test {
namespace {

using namespace attnscope::small_tokenizers;
using test::message_of;

/// Valid text of many scripts, lengths of UTF-8 and kinds of space.
std::string random_text(std::mt19937_64& random, int characters) {
  constexpr std::pair<char32_t, char32_t> blocks[] = {
      {0x00, 0x7F},       {0x20, 0x7E},     {0x61, 0x66},     {0x20, 0x20},
      {0xA0, 0x17F},      {0x300, 0x36F},   {0x390, 0x45F},   {0x5D0, 0x5EA},
      {0x905, 0x94D},     {0x2000, 0x206F}, {0x4E00, 0x4E40}, {0xAC00, 0xAC40},
      {0x1F468, 0x1F4AA}, {0xE000, 0xE010}, {0xFFF0, 0xFFFF}, {0x10FFF0, 0x10FFFF}};
  std::string text;
  for (int i = 0; i < characters; ++i) {
    const auto& [first, last] = blocks[random() % std::size(blocks)];
    append_utf8(text, first + static_cast<char32_t>(random() % (last - first + 1)));
  }
  return text;
}

/// Merging by definition, without a heap: the lowest rank first, the leftmost of equal ones.
std::vector<std::string> merged_naively(const std::string& word, const std::vector<std::string>& pairs) {
  std::vector<std::string> parts;
  for (const char letter : word) parts.emplace_back(1, letter);
  for (;;) {
    std::size_t best = pairs.size(), at = 0;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      const auto found = static_cast<std::size_t>(
          std::find(pairs.begin(), pairs.end(), parts[i] + " " + parts[i + 1]) - pairs.begin());
      if (found < best) {
        best = found;
        at = i;
      }
    }
    if (best == pairs.size()) return parts;
    parts[at] += parts[at + 1];
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
}

}  // namespace

TEST_CASE("the lowest merge is done first and the leftmost of equal ones", "[tokenizers]") {
  CHECK(texts_of(bpe({"a", "b", "c", "ab", "bc"}, {"b c", "a b"}), "abc") == "a bc");
  CHECK(texts_of(bpe({"a", "b", "c", "ab", "bc"}, {"a b", "b c"}), "abc") == "ab c");
  CHECK(texts_of(bpe({"a", "aa"}, {"a a"}), "aaa") == "aa a");
  CHECK(texts_of(bpe({"a", "aa", "aaaa"}, {"a a", "aa aa"}), "aaaaaaa") == "aaaa aa a");
  // "a b" is still queued when b has become bc, with which a is merged later.
  CHECK(texts_of(bpe({"a", "b", "c", "ab", "bc", "abc"}, {"b c", "a b", "a bc"}), "abc") == "abc");
  // A merge that is listed twice has its last rank.
  CHECK(texts_of(bpe({"a", "b", "c", "ab", "bc"}, {"a b", "b c", "a b"}), "abc") == "a bc");
}

TEST_CASE("merging random words does what the definition says", "[tokenizers]") {
  std::mt19937_64 random(seeds::of_case("bpe", 0));
  std::vector<std::string> pairs, texts{"a", "b", "c"};
  while (pairs.size() < 40) {  // any two tokens of the vocabulary so far
    const std::string left = texts[random() % texts.size()], right = texts[random() % texts.size()];
    if (left.size() + right.size() > 8 || std::find(texts.begin(), texts.end(), left + right) != texts.end())
      continue;
    pairs.push_back(left + " " + right);
    texts.push_back(left + right);
  }
  const Tokenizer tokenizer(bpe(texts, pairs));
  for (int i = 0; i < 300; ++i) {
    std::string word;
    for (std::size_t left = random() % 40; left > 0; --left) word += static_cast<char>('a' + random() % 3);
    std::vector<std::string> found;
    for (const EncodedToken& token : tokenizer.encode(word).tokens) found.push_back(token.text);
    CHECK(found == merged_naively(word, pairs));
  }
}

TEST_CASE("a merge needs its parts and its result in the vocabulary", "[tokenizers]") {
  CHECK(message_of<Error>([] {
          bpe({"a", "b"}, {"a b"});
        }) == "Merge 0 of \"a\" and \"b\" needs \"ab\", which is not in the vocabulary.");
  CHECK(message_of<Error>([] {
          bpe({"a", "ab"}, {"a b"});
        }) == "Merge 0 of \"a\" and \"b\" needs \"b\", which is not in the vocabulary.");
}

TEST_CASE("ignore_merges keeps a word that is a token", "[tokenizers]") {
  const std::vector<std::string> texts{"a", "b", "c", "ab", "abc"};
  CHECK(texts_of(bpe(texts, {"a b"}), "abc") == "ab c");
  CHECK(texts_of(bpe(texts, {"a b"}, {.ignore_merges = true}), "abc") == "abc");
}

TEST_CASE("unknown characters are one token each, one for all, their bytes, or nothing", "[tokenizers]") {
  const std::vector<std::string> texts{"<unk>", "a", "b", "<0xC3>", "<0xA9>"};
  CHECK(texts_of(bpe(texts, {}, {.unknown = 0}), "axyb") == "a <unk> <unk> b");
  CHECK(texts_of(bpe(texts, {}, {.unknown = 0, .fuse_unknown = true}), "axyb") == "a <unk> b");
  const Tokenizer fused(bpe(texts, {}, {.unknown = 0, .fuse_unknown = true}));
  CHECK(ranges_of(fused.encode("axéb")) == "0-1 1-4 4-5");
  const Tokenizer bytes(bpe(texts, {}, {.unknown = 0, .byte_fallback = true}));
  CHECK(texts_of(bytes.encode("aéßb")) == "a <0xC3> <0xA9> <unk> b");  // ß is C3 9F, which has no token
  CHECK(ranges_of(bytes.encode("aéßb")) == "0-1 1-3 1-3 3-5 5-6");
  const Encoding gone = Tokenizer(bpe(texts, {})).encode("axéb");
  CHECK(texts_of(gone) == "a b");
  CHECK(ranges_of(gone) == "0-1 4-5");
  CHECK(gone.untold == std::vector<Untold>{{0, {1, 2}}, {0, {2, 4}}});
}

TEST_CASE("what stands around a byte without a token may merge over it, as in the reference",
          "[tokenizers]") {
  const Encoding encoding = Tokenizer(bpe({"a", "b", "ab"}, {"a b"})).encode("aXb");
  CHECK(texts_of(encoding) == "ab");
  CHECK(ranges_of(encoding) == "0-3");
  CHECK(encoding.untold == std::vector<Untold>{{0, {1, 2}}});
}

TEST_CASE("prefixes and suffixes belong to the characters of a word", "[tokenizers]") {
  BpeSettings clip{.end_suffix = "</w>"};
  CHECK(texts_of(bpe({"a", "b", "b</w>", "ab</w>", "a</w>"}, {"a b</w>"}, clip), "ab") == "ab</w>");
  CHECK(texts_of(bpe({"a", "b", "b</w>", "a</w>"}, {}, clip), "a") == "a</w>");
  BpeSettings continuing{.continuing_prefix = "##"};
  CHECK(texts_of(bpe({"a", "##a", "##b", "a##b", "ab", "aba"}, {"a ##b", "ab ##a"}, continuing), "aba") ==
        "aba");
}

TEST_CASE("a token of half a character covers it whole and is shown by its byte", "[tokenizers]") {
  const Tokenizer tokenizer(byte_level({"Ġ x"}));
  const Encoding encoding = tokenizer.encode("é x");
  CHECK(texts_of(encoding) == "Ã © Ġx");
  CHECK(ranges_of(encoding) == "0-2 0-2 2-4");
  CHECK(tokenizer.piece(encoding.tokens[0].id) == "\\xC3");
  CHECK(tokenizer.piece(encoding.tokens[2].id) == " x");
  CHECK(tokenizer.decode(std::vector<Id>{encoding.tokens[0].id}) == "\uFFFD");
  CHECK(tokenizer.decode(std::vector<Id>{encoding.tokens[1].id, encoding.tokens[0].id,
                                         encoding.tokens[1].id}) == "\uFFFDé");
  CHECK(tokenizer.decode(encoding.ids()) == "é x");
}

TEST_CASE("pre-tokenizers that GGUF files name", "[tokenizers]") {
  const auto words = [](const char* name, const std::string& text) {
    std::vector<std::string> found;
    for (const Tokenizer::Word& word :
         Tokenizer(byte_level({}, named_pre_tokenizer(name).steps)).words(text)) {
      found.push_back(word.text);
    }
    return found;
  };
  using List = std::vector<std::string>;
  CHECK(words("smollm", "a   12") == List{"a", "ĠĠĠ", "1", "2"});
  CHECK(words("gpt-2", "a   12") == List{"a", "ĠĠ", "Ġ12"});
  CHECK(words("default", "x 1234's") == List{"x", "Ġ", "123", "4", "'", "s"});
  CHECK(words("default", "a+b  c") == List{"a", "+", "b", "Ġ", "Ġc"});
  for (const char* name : {"phi-2", "mpt", "olmo"})
    CHECK(words(name, "a   12's") == List{"a", "ĠĠ", "Ġ12", "'s"});
  for (const char* name : {"starcoder", "refact", "command-r", "codeshell"})
    CHECK(words(name, "a   12") == List{"a", "ĠĠĠ", "1", "2"});
  for (const char* name : {"llama3", "llama-v3", "falcon3", "dbrx", "smaug-bpe"})
    CHECK(words(name, "x 1234'S") == List{"x", "Ġ", "123", "4", "'S"});
  for (const char* name : {"deepseek-r1-qwen", "stablelm2"})
    CHECK(words(name, "x 12") == List{"x", "Ġ", "1", "2"});
  CHECK(words("tekken", "HelloWorld 12/\n") == List{"Hello", "World", "Ġ", "1", "2", "/Ċ"});
  CHECK(words("deepseek-coder", "f(x1)\n") == List{"f", "(", "x", "1", ")", "Ċ"});
  CHECK(named_pre_tokenizer("llama-bpe").ignore_merges);
  CHECK(named_pre_tokenizer("llama-bpe").adds_begin);
  CHECK_FALSE(named_pre_tokenizer("dbrx").ignore_merges);
  CHECK_FALSE(named_pre_tokenizer("qwen2").adds_begin);
  CHECK(words("llama-bpe", "x 1234'S\n\n y") == List{"x", "Ġ", "123", "4", "'S", "ĊĊ", "Ġy"});
  CHECK(words("qwen2", "x 1234") == List{"x", "Ġ", "1", "2", "3", "4"});
  CHECK(message_of<Error>([] { named_pre_tokenizer("other"); }).starts_with("The pre-tokenizer \"other\""));
}

TEST_CASE("byte-level tokenizers lose nothing and their ranges lie in order", "[tokenizers]") {
  const std::vector<std::string> pairs{"a b", "Ġ a", "Ġa b", "Ã ©", "d e", "Ġ Ġ", "ĠĠ ĠĠ"};
  for (const char* name : {"gpt-2", "llama-bpe", "qwen2", "smollm"}) {
    const Tokenizer tokenizer(byte_level(pairs, named_pre_tokenizer(name).steps));
    for (std::uint64_t i = 0; i < 200; ++i) {
      std::mt19937_64 random(seeds::of_case(name, i));
      const std::string text = random_text(random, static_cast<int>(random() % 60));
      INFO(name << ", case " << i);
      const Encoding encoding = tokenizer.encode(text);
      CHECK(tokenizer.decode(encoding.ids()) == text);
      Range before;
      std::size_t covered = 0;
      for (const EncodedToken& token : encoding.tokens) {
        REQUIRE(token.range.begin < token.range.end);
        REQUIRE(token.range.end <= text.size());
        REQUIRE(token.range.begin >= before.begin);
        REQUIRE(token.range.end >= before.end);
        REQUIRE(token.range.begin <= covered);  // nothing is left out
        before = token.range;
        covered = token.range.end;
      }
      CHECK(covered == text.size());
    }
  }
}

TEST_CASE("a text that is not UTF-8 is refused at its byte", "[tokenizers]") {
  const Tokenizer tokenizer(byte_level({}));
  CHECK(message_of<Error>([&] { tokenizer.encode("ab\xC3"); }) == "The text is not valid UTF-8 at byte 2.");
  CHECK(message_of<Error>([&] { tokenizer.encode("ab", "\xED\xA0\x80"); }) ==
        "The text is not valid UTF-8 at byte 0.");
}

TEST_CASE("a word of a million characters takes no quadratic time", "[tokenizers]") {
  const Tokenizer tokenizer(byte_level({"a a", "aa aa"}));
  const Encoding encoding = tokenizer.encode(std::string(1'000'000, 'a'));
  CHECK(encoding.tokens.size() == 250'000);
  CHECK(encoding.tokens.back().range == Range{999'996, 1'000'000});
}

}  // namespace attnscope::tokenizer_bpe_test
