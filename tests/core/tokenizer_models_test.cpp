// WordPiece and unigram models, and added tokens, which are searched in the text itself.
#include <catch2/catch_test_macros.hpp>

#include "core/base/error.hpp"
#include "core/small_tokenizers.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::tokenizer_models_test {
namespace {

using namespace attnscope::small_tokenizers;
using test::message_of;

TokenizerParts word_piece(const std::vector<std::string>& texts, std::size_t most_characters = 100) {
  TokenizerParts parts;
  parts.model = std::make_unique<WordPiece>(
      vocabulary(texts), WordPieceSettings{.unknown = 0, .most_characters = most_characters});
  parts.pre_tokenizer = {BertWords{}};
  parts.decoder = {DecodeWordPiece{}};
  return parts;
}

TokenizerParts unigram(const std::vector<std::pair<std::string, double>>& scored,
                       bool byte_fallback = false) {
  TokenizerParts parts;
  std::vector<std::string> texts;
  UnigramSettings settings{.unknown = 0, .byte_fallback = byte_fallback};
  for (const auto& [text, score] : scored) {
    texts.push_back(text);
    settings.scores.push_back(score);
  }
  parts.model = std::make_unique<Unigram>(vocabulary(texts), std::move(settings));
  return parts;
}

/// A unigram model of single letters, so that added tokens stand out.
TokenizerParts letters(std::vector<AddedToken> added) {
  TokenizerParts parts = unigram({{"?", -9}, {"a", -1}, {"b", -1}, {"A", -1}, {" ", -1}});
  parts.added_tokens = std::move(added);
  return parts;
}

}  // namespace

TEST_CASE("WordPiece takes the longest token, then the longest that continues", "[tokenizers]") {
  const std::vector<std::string> texts{"[UNK]", "un",       "##aff", "##able", "una",
                                       "##a",   "##ffable", "é",     "##é"};
  CHECK(texts_of(word_piece(texts), "unaffable") == "una ##ffable");
  CHECK(texts_of(word_piece(texts), "unaff, aff") ==
        "[UNK] [UNK] [UNK]");  // an unknown rest makes the whole word unknown
  CHECK(texts_of(word_piece(texts), "uné é") == "un ##é é");
  const Tokenizer tokenizer(word_piece(texts));
  CHECK(ranges_of(tokenizer.encode(" unaé é!")) == "1-4 4-6 7-9 9-10");
  CHECK(tokenizer.decode(tokenizer.encode("unaffable é").ids(), false) == "unaffable é");
  CHECK(tokenizer.piece(2) == "##aff");
}

TEST_CASE("WordPiece counts a word's characters, not its bytes", "[tokenizers]") {
  const std::vector<std::string> texts{"[UNK]", "é", "##é"};
  CHECK(texts_of(word_piece(texts, 3), "ééé") == "é ##é ##é");
  CHECK(texts_of(word_piece(texts, 3), "éééé") == "[UNK]");
}

TEST_CASE("the unigram model takes the largest sum and the earlier one of equal sums", "[tokenizers]") {
  CHECK(texts_of(unigram({{"<unk>", 0}, {"a", -1}, {"b", -1}, {"ab", -3}}), "ab") == "a b");
  CHECK(texts_of(unigram({{"<unk>", 0}, {"a", -1}, {"b", -1}, {"ab", -1.5}}), "ab") == "ab");
  // -2 either way: the path that reaches the end first stays.
  CHECK(texts_of(unigram({{"<unk>", 0}, {"a", -1}, {"b", -1}, {"ab", -2}}), "ab") == "ab");
  CHECK(texts_of(unigram({{"<unk>", 0}, {"a", -1}, {"ab", -1}, {"bc", -1}, {"c", -1}}), "abc") == "a bc");
}

TEST_CASE("a unigram model may pass over a character that only a longer token begins with", "[tokenizers]") {
  // The unknown token ends at -61 with "bc", "ab" at -110 with the unknown token.
  const Tokenizer tokenizer(unigram({{"<unk>", 0}, {"ab", -50}, {"bc", -1}}));
  CHECK(texts_of(tokenizer.encode("abc")) == "<unk> bc");
  CHECK(texts_of(tokenizer.encode("ab")) == "ab");
  CHECK(texts_of(tokenizer.encode("ac")) == "<unk>");
}

TEST_CASE("unknown characters of a unigram model are fused, or become their bytes", "[tokenizers]") {
  const Tokenizer fused(unigram({{"<unk>", 0}, {"a", -1}}));
  CHECK(texts_of(fused.encode("axéa")) == "a <unk> a");
  CHECK(ranges_of(fused.encode("axéa")) == "0-1 1-4 4-5");
  const Tokenizer bytes(unigram({{"<unk>", 0}, {"a", -1}, {"<0xC3>", -2}, {"<0xA9>", -2}}, true));
  CHECK(texts_of(bytes.encode("aéa")) == "a <0xC3> <0xA9> a");
  CHECK(texts_of(bytes.encode("aéxa")) == "a <unk> a");  // x has no byte token, so the run has none
}

TEST_CASE("added tokens: the longest at the leftmost place", "[tokenizers]") {
  const Tokenizer tokenizer(
      letters({{.text = "ab", .id = 5}, {.text = "abab", .id = 6}, {.text = "ba", .id = 7}}));
  CHECK(texts_of(tokenizer.encode("aabab")) == "a abab");
  CHECK(texts_of(tokenizer.encode("ababa")) == "abab a");
  CHECK(ranges_of(tokenizer.encode("ababa")) == "0-4 4-5");
  CHECK(tokenizer.vocabulary_size() == 8);
  CHECK(tokenizer.id("abab") == 6);
}

TEST_CASE("added tokens swallow white space on the sides that they strip", "[tokenizers]") {
  const Tokenizer left(letters({{.text = "<m>", .id = 5, .left_strip = true}}));
  CHECK(ranges_of(left.encode("a \u3000<m> b")) == "0-1 1-8 8-9 9-10");
  const Tokenizer right(letters({{.text = "<m>", .id = 5, .right_strip = true}}));
  CHECK(ranges_of(right.encode("a <m> \tb")) == "0-1 1-2 2-7 7-8");
  CHECK(ranges_of(right.encode("<m> <m>")) == "0-4 4-7");
  // White space that one token has taken is not there for the next.
  const Tokenizer both(
      letters({{.text = "<r>", .id = 5, .right_strip = true}, {.text = "<l>", .id = 6, .left_strip = true}}));
  CHECK(ranges_of(both.encode("<r>  <l>a")) == "0-5 5-8 8-9");
  CHECK(ranges_of(both.encode("<l>  <l>a")) == "0-3 3-8 8-9");
}

TEST_CASE("single words are only between what belongs to no word", "[tokenizers]") {
  const Tokenizer tokenizer(letters({{.text = "ab", .id = 5, .single_word = true}}));
  CHECK(texts_of(tokenizer.encode("ab")) == "ab");
  CHECK(texts_of(tokenizer.encode("ab ab")) == "ab   ab");
  CHECK(texts_of(tokenizer.encode("aab")) == "a a b");
  CHECK(texts_of(tokenizer.encode("aba")) == "a b a");
}

TEST_CASE("added tokens that are normalized match what the normalizer makes of them", "[tokenizers]") {
  TokenizerParts parts = letters({{.text = "AB", .id = 5, .normalized = true}, {.text = "BA", .id = 6}});
  parts.normalizer = {LowerCase{}};
  const Tokenizer tokenizer(std::move(parts));
  CHECK(texts_of(tokenizer.encode("aB")) == "AB");
  CHECK(texts_of(tokenizer.encode("ba")) == "b a");  // BA is searched in the unchanged text
  CHECK(texts_of(tokenizer.encode("BA")) == "BA");
}

TEST_CASE("special tokens of the text can be taken for text", "[tokenizers]") {
  const Tokenizer tokenizer(letters({{.text = "ab", .id = 5, .special = true}}));
  const Encoding found = tokenizer.encode("aba");
  CHECK(texts_of(found) == "ab a");
  CHECK(found.tokens[0].special);
  CHECK(found.tokens[0].sequence == 0);
  CHECK_FALSE(found.tokens[1].special);
  CHECK(texts_of(tokenizer.encode("aba", {.find_special_tokens = false})) == "a b a");
  CHECK(tokenizer.decode(found.ids()) == "a");
  CHECK(tokenizer.decode(found.ids(), false) == "ab a");
}

TEST_CASE("ids must fit together", "[tokenizers]") {
  const auto refusal = [](std::vector<AddedToken> added) {
    return message_of<Error>([&] { Tokenizer(letters(std::move(added))); });
  };
  CHECK(refusal({{.text = "x", .id = 1}}) ==
        "The added token \"x\" has the id 1, which another token has too.");
  CHECK(refusal({{.text = "x", .id = 9}, {.text = "y", .id = 9}}) ==
        "The added token \"y\" has the id 9, which another token has too.");
  CHECK(refusal({{.text = "a", .id = 9}}) == "The added token \"a\" has the id 9, but 1 in the vocabulary.");
  CHECK(refusal({{.text = "x", .id = 2'000'000'000}}) ==
        "The added token \"x\" has the id 2000000000, which is out of range.");
  CHECK(message_of<Error>([] {
          Vocabulary({{"a", 0}, {"b", 0}});
        }) == "The tokens \"a\" and \"b\" have the same id 0.");
  CHECK(message_of<Error>([] {
          Vocabulary({{"a", 1 << 29}});
        }) == "The token \"a\" has the id 536870912, which is out of range for 1 tokens.");
  TokenizerParts parts = letters({});
  parts.post_processor = bert_format(1, 77);
  CHECK(message_of<Error>([&] { Tokenizer(std::move(parts)); }) ==
        "The post-processor puts the id 77, which no token has.");
}

TEST_CASE("formats put tokens around one text and two", "[tokenizers]") {
  TokenizerParts parts =
      letters({{.text = "[C]", .id = 5, .special = true}, {.text = "[S]", .id = 6, .special = true}});
  parts.post_processor = bert_format(5, 6);
  const Tokenizer bert(std::move(parts));
  CHECK(texts_of(bert.encode("ab")) == "[C] a b [S]");
  const Encoding pair = bert.encode("a", "bb");
  CHECK(texts_of(pair) == "[C] a [S] b b [S]");
  CHECK(ranges_of(pair) == "0-0 0-1 0-0 0-1 1-2 0-0");
  std::vector<int> types, sequences;
  for (const EncodedToken& token : pair.tokens) {
    types.push_back(token.type_id);
    sequences.push_back(token.sequence);
  }
  CHECK(types == std::vector<int>{0, 0, 0, 1, 1, 1});
  CHECK(sequences == std::vector<int>{-1, 0, -1, 1, 1, -1});
  CHECK(texts_of(bert.encode("a", "b", {.add_special_tokens = false})) == "a b");

  parts = letters({{.text = "[C]", .id = 5, .special = true}, {.text = "[S]", .id = 6, .special = true}});
  parts.post_processor = roberta_format(5, 6, std::nullopt);
  CHECK(texts_of(Tokenizer(std::move(parts)).encode("a", "b")) == "[C] a [S] [S] b [S]");
}

}  // namespace attnscope::tokenizer_models_test
