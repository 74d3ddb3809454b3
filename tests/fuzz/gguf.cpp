// tests/fuzz: GGUF files, every value of their metadata and every tensor, and what they say of a model and
// its tokenizer.
#include "core/files/formats/gguf.hpp"

#include "core/models/reading/gguf_model.hpp"
#include "core/tokenizers/read/gguf_tokenizer.hpp"
#include "fuzz/harness.hpp"

using namespace attnscope;

namespace {

void open_all(const GgufArray& array) {
  for (const GgufValue& value : elements_of(array))
    if (const auto* const inner = std::get_if<GgufArray>(&value)) open_all(*inner);
}

void ask_all(const GgufMetadata& metadata, std::string_view key) {
  fuzz::expect_result_or_sentence([&] { metadata.integer(key); });
  fuzz::expect_result_or_sentence([&] { metadata.real(key); });
  fuzz::expect_result_or_sentence([&] { metadata.string(key); });
  fuzz::expect_result_or_sentence([&] { metadata.integers(key); });
  fuzz::expect_result_or_sentence([&] { metadata.strings(key); });
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::MemoryFile memory;
  const std::filesystem::path path = memory.hold({data, size});
  fuzz::expect_result_or_sentence([&] {
    const GgufFile file(path);
    const GgufMetadata& metadata = file.metadata();
    for (std::size_t i = 0; i < metadata.size(); ++i) {
      if (!metadata.has(metadata.key(i))) fuzz::finding("metadata that cannot be found", metadata.key(i));
      const GgufValue value = metadata.value(i);
      if (const auto* const array = std::get_if<GgufArray>(&value)) open_all(*array);
      ask_all(metadata, metadata.key(i));
    }
    for (const GgufTensor& tensor : file.tensors()) {
      if (file.find(tensor.name) != &tensor) fuzz::finding("a tensor that cannot be found", tensor.name);
      fuzz::expect_result_or_sentence([&] { file.stored(tensor).widened(); });
    }
    fuzz::expect_result_or_sentence([&] {
      const auto tokenizer = tokenizers::read_gguf_tokenizer(file);
      tokenizer->decode(tokenizer->encode("Hello wörld, 12 tokens\n").ids());
    });
    GgufTensors tensors(path);
    read_gguf_config(tensors);
  });
  return 0;
}
