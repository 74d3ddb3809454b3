// tests/fuzz: tokenizer.json, and what the tokenizer that it describes does with a text.
#include "core/tokenizers/read/load_tokenizer.hpp"
#include "fuzz/harness.hpp"

using namespace attnscope;
using namespace attnscope::tokenizers;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  fuzz::expect_result_or_sentence([&] {
    const Tokenizer tokenizer(read_tokenizer_json(text, "tokenizer.json"));
    const std::string said = "Hello wörld, 12 tokens\n한 <mask>\t";
    const Encoding encoding = tokenizer.encode(said);
    for (const EncodedToken& token : encoding.tokens) {
      if (token.range.begin > token.range.end || token.range.end > said.size())
        fuzz::finding("a token outside of the text", token.text);
      tokenizer.piece(token.id);
    }
    tokenizer.decode(encoding.ids());
  });
  return 0;
}
