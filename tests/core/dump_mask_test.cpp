// The attention mask beside the layers of a dump: which shapes and numbers are accepted, and which refused.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/document/mask.hpp"
#include "core/dumps.hpp"
#include "core/files/formats/npy.hpp"
#include "core/files/formats/safetensors.hpp"

namespace attnscope::dump_mask_test {
namespace {

using namespace attnscope::test;
using Catch::Matchers::ContainsSubstring;

constexpr float minus_infinity = -std::numeric_limits<float>::infinity(),
                least = std::numeric_limits<float>::lowest();

/// Two texts of three tokens in two heads; the mask is beside the layers, or under another name.
class MaskedDump {
 public:
  Document opened(const Tensor& mask, const std::vector<std::string>& layers = {"l.0"},
                  const std::string& name = "attention_mask") const {
    std::vector<NamedTensor> tensors{{name, &mask}};
    for (const std::string& layer : layers)
      for (const char* part : {".q", ".k", ".v"}) tensors.push_back({layer + part, &vectors_});
    if (has_longer_) tensors.insert(tensors.end(), {{"m.q", &longer_}, {"m.k", &longer_}, {"m.v", &longer_}});
    write_safetensors(path_, tensors);
    return open_document(path_, layers[0]);
  }
  std::string refused(const Tensor& mask, const std::string& name = "attention_mask") const {
    return message_of<Error>([&] { opened(mask, {"l.0"}, name); });
  }
  void add_layer_of_five_tokens() { has_longer_ = true; }

 private:
  TemporaryDirectory directory_;
  std::filesystem::path path_ = directory_ / "padded.safetensors";
  Tensor vectors_ = random_tensor({2, 2, 3, 4}, 1), longer_ = random_tensor({2, 2, 5, 4}, 2);
  bool has_longer_ = false;
};

/// Only the first key of the second text is hidden, from all queries of all heads.
void check_left_padding(const Document& document) {
  CHECK_FALSE(document.layer().masking.causal);
  const MaskRule rule(document);
  for (std::int64_t b = 0; b < 2; ++b)
    for (std::int64_t h = 0; h < 2; ++h)
      for (std::int64_t query = 0; query < 3; ++query)
        for (std::int64_t key = 0; key < 3; ++key)
          CHECK(rule.allows(b, h, query, key) == !(b == 1 && key == 0));
}

/// A mask of left padding, with these numbers for seen and hidden keys, in each row of a text.
Tensor left_padded(Shape shape, float seen, float hidden) {
  Tensor mask(shape);
  std::ranges::fill(mask.values(), seen);
  for (std::int64_t at = mask.size() / 2; at < mask.size(); at += 3) mask.data()[at] = hidden;
  return mask;
}

}  // namespace

TEST_CASE("an attention mask hides its keys in each layer of a dump, in every shape of transformers",
          "[dump]") {
  const MaskedDump dump;
  for (const Shape& shape : {Shape{2, 3}, Shape{2, 1, 3}, Shape{2, 1, 1, 3}, Shape{2, 3, 3},
                             Shape{2, 1, 3, 3}, Shape{2, 2, 3, 3}, Shape{2, 2, 1, 3}}) {
    CAPTURE(shape.rank(), shape[1]);
    check_left_padding(dump.opened(left_padded(shape, 1, 0)));
    for (const float hidden : {minus_infinity, least, -65504.f, -1e9f, -1e4f})
      check_left_padding(dump.opened(left_padded(shape, 0, hidden)));
    CHECK_FALSE(dump.opened(left_padded(shape, 1, 1)).layer().masking.additive);
    if (shape.rank() > 2) CHECK_FALSE(dump.opened(left_padded(shape, 0, 0)).layer().masking.additive);
  }
  // For all texts.
  Tensor one(Shape{3});
  one.data()[1] = 1;
  const Document document = dump.opened(one);
  const MaskRule rule(document);
  for (std::int64_t b = 0; b < 2; ++b) {
    CHECK(rule.allows(b, 0, 2, 1));
    CHECK_FALSE(rule.allows(b, 1, 0, 0));
  }
}

TEST_CASE("an attention mask of every query says whether a dump is causal, and nothing is guessed",
          "[dump]") {
  const MaskedDump dump;
  Tensor causal(Shape{1, 1, 3, 3});
  for (const auto& [query, key] : {std::pair{0, 1}, {0, 2}, {1, 2}}) causal.matrix(0, 0)(query, key) = least;
  const Document document = dump.opened(causal);
  CHECK(document.layer().masking.causal);
  CHECK_FALSE(document.layer().masking.additive);
  CHECK(document.input.given().guesses.causal.empty());
  // A prefix of two tokens that see each other.
  Tensor prefix = causal;
  prefix.matrix(0, 0)(0, 1) = 0;
  const Document other = dump.opened(prefix, {"gpt.self_attn.0"});
  CHECK_FALSE(other.layer().masking.causal);
  CHECK(other.input.given().guesses.causal.empty());
  const MaskRule rule(other);
  CHECK(rule.allows(1, 1, 0, 1));
  CHECK_FALSE(rule.allows(1, 1, 0, 2));
  // Padding does not tell whether later keys are seen.
  CHECK_FALSE(dump.opened(left_padded({2, 3}, 1, 0)).input.given().guesses.causal.empty());
}

TEST_CASE("an attention mask belongs to its layer, to an encoder, or to all layers", "[dump]") {
  MaskedDump dump;
  const Tensor mask = left_padded({2, 3}, 1, 0);
  check_left_padding(dump.opened(mask, {"l.0", "l.1"}, "l.0.attention_mask"));
  CHECK_FALSE(dump.opened(mask, {"l.1", "l.0"}, "l.0.attention_mask").layer().masking.additive);
  CHECK_FALSE(dump.opened(mask, {"decoder.layers.0", "encoder.layers.0"}).layer().masking.additive);
  CHECK(dump.opened(mask, {"encoder.layers.0", "decoder.layers.0"}).layer().masking.additive);
  CHECK(dump.opened(mask, {"decoder.layers.0"}).layer().masking.additive);  // there is no encoder
  const Tensor longer = left_padded({2, 5}, 1, 1);
  CHECK_THAT(dump.refused(longer),
             ContainsSubstring("\"attention_mask\" has shape [2, 5], expected [2, 3] or "
                               "[2, 1, 3, 3]"));
  dump.add_layer_of_five_tokens();
  CHECK_FALSE(dump.opened(longer).layer().masking.additive);
}

TEST_CASE("an attention mask of a dump that could mean two things is refused by its name", "[dump]") {
  const MaskedDump dump;
  const auto with = [](float number) {
    Tensor mask = left_padded({2, 1, 3, 3}, 0, minus_infinity);
    mask.data()[4] = number;
    return mask;
  };
  for (const float number : {1.f, 0.5f, -3.f, -9999.f, 2.f, std::numeric_limits<float>::quiet_NaN(),
                             std::numeric_limits<float>::infinity()}) {
    CAPTURE(number);
    CHECK_THAT(dump.refused(with(number)), ContainsSubstring("\"attention_mask\" holds other numbers"));
  }
  CHECK_THAT(dump.refused(left_padded({2, 3}, 1, -1e4f)), ContainsSubstring("other numbers than 0 and 1"));
  for (const Shape& shape : {Shape{2, 3, 1, 3}, Shape{1, 2, 1, 3, 3}, Shape{4, 3}, Shape{2, 2, 3}})
    CHECK_THAT(dump.refused(Tensor(shape)), ContainsSubstring("has shape ["));
  for (const char* name : {"attn_mask", "key_padding_mask", "l.0.attn_mask"})
    CHECK_THAT(dump.refused(left_padded({2, 3}, 1, 0), name),
               ContainsSubstring(std::string("\"") + name + "\" hides what is 1"));
  for (const char* name : {"position_bias", "l.0.position_bias", "alibi", "attn_bias"})
    CHECK_THAT(dump.refused(random_tensor({2, 3, 3}, 4), name),
               ContainsSubstring(std::string("\"") + name + "\" is added to the scores"));
}

TEST_CASE("of two masks beside Q, K and V neither is left out in silence", "[dump]") {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "both.safetensors";
  const Tensor q = random_tensor({2, 2, 3, 4}, 1), padding = left_padded({2, 3}, 1, 0), zeros(Shape{3, 3});
  std::vector<NamedTensor> tensors{{"Q", &q}, {"K", &q}, {"V", &q}, {"attention_mask", &padding}};
  write_safetensors(path, tensors);
  check_left_padding(open_document(path));
  tensors.push_back({"attn_mask", &zeros});
  write_safetensors(path, tensors);
  CHECK_THAT(message_of<Error>([&] { open_document(path); }),
             ContainsSubstring("\"attention_mask\" lies beside \"attn_mask\""));
}

TEST_CASE("what would count beside the arrays Q, K and V and is not read is refused", "[dump]") {
  const TemporaryDirectory directory;
  const Tensor q = random_tensor({2, 2, 3, 4}, 1);
  for (const char* part : {"Q.npy", "K.npy", "V.npy"}) write_npy(directory / part, q);
  CHECK_NOTHROW(open_document(directory / "Q.npy"));
  write_npy(directory / "attn_mask.npy", left_padded({3, 3}, 1, 0));
  CHECK_THAT(message_of<Error>([&] { open_document(directory / "Q.npy"); }),
             ContainsSubstring("attn_mask.npy\" would count beside Q, K and V"));
}

TEST_CASE("an attention mask lies beside arrays as well", "[dump]") {
  const TemporaryDirectory directory;
  const Tensor q = random_tensor({2, 2, 3, 4}, 1);
  for (const char* part : {"layer0_q", "layer0_k", "layer0_v"})
    write_npy(directory / (std::string(part) + ".npy"), q);
  write_npy(directory / "attention_mask.npy", left_padded({2, 1, 1, 3}, 0, least));
  check_left_padding(open_document(directory / "layer0_q.npy"));
}

}  // namespace attnscope::dump_mask_test
