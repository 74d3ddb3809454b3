// The file's record of a Document's model: every text, every change of a head and of a layer.
#include "core/files/document/model_context_json.hpp"

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/document/attention_settings.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::model_context_json_test {
namespace {

using nlohmann::json;

ModelContext reopened(const ModelContext& within) {
  return read_within(json::parse(model_context_json(within)), "test.json");
}

/// No two values are equal, and none is its key's default.
ModelContext all_set() {
  ModelContext within;
  within.path = "models/some \"ü\"\\model";
  within.fingerprint = 0xfedcba9876543210;
  within.of = AttentionOf::Cross;
  within.block = 3;
  ModelText& text = within.input;
  text.text = "a\nb → [MASK] c";
  text.pair = "the second";
  text.decoder_text = "";  // given, but empty
  text.continued = {7, 0, 50'256};
  text.image = "photos/cat.png";
  text.chat_day = "2024-02-29";
  text.masked = {{6, "old", {4, 5}}, {15, "c", {9}}};
  return within;
}

}  // namespace

TEST_CASE("texts and place of a model come back from a file", "[document_json][models]") {
  const ModelContext within = all_set();
  CHECK(reopened(within) == within);
  ModelContext plain;
  plain.path = "m";
  CHECK(reopened(plain) == plain);
  ModelContext other = within;
  other.of = AttentionOf::Encoder;
  other.input.decoder_text.reset();
  other.input.pair = "";
  other.input.chat_day.reset();
  CHECK(reopened(other) == other);
}

TEST_CASE("settings of a block's attention come back from a file", "[document_json][models]") {
  ModelContext within = all_set();
  LayerSpec layer;
  layer.linear = true;
  layer.positions = Positions::Alibi;
  layer.position_settings.rope_base = 77;
  layer.soft_cap = 3;
  layer.masking.causal = true;
  layer.masking.window = {2, -1};
  layer.masking.sparsity.kind = Sparsity::Kind::Strided;
  layer.qk_norm.kind = QkNorm::Kind::Layer;
  layer.masking.mistake = MaskMistake::AfterSoftmax;
  within.changes.blocks = {{.of = AttentionOf::Encoder,
                            .block = 2,
                            .scale = 0.5,
                            .attention = SharedValue<LayerSpec>(attention_only(layer))}};
  CHECK(reopened(within) == within);
  auto painted = std::make_shared<Tensor>(Shape{1, 1, 2, 3});
  painted->matrix()(0, 1) = -std::numeric_limits<float>::infinity();
  layer.masking.additive = painted;
  within.changes.blocks[0].attention = SharedValue<LayerSpec>(attention_only(layer));
  const ModelContext again = reopened(within);
  REQUIRE(again.changes.blocks.size() == 1);
  const TensorPtr& mask = again.changes.blocks[0].attention->read().masking.additive;
  REQUIRE(mask);
  CHECK(*mask == *painted);
  // What is no setting of the attention is refused by its name.
  json file = json::parse(model_context_json(within));
  file["blocks"][0]["attention"]["heads"] = 3;
  CHECK_THROWS_WITH(read_within(file, "test.json"), Catch::Matchers::ContainsSubstring("heads"));
  // In an object of the settings by its whole path, so that a damaged session can be read without it.
  file["blocks"][0]["attention"].erase("heads");
  file["blocks"][0]["attention"]["mask"]["window"]["middle"] = 3;
  CHECK_THROWS_WITH(
      read_within(file, "test.json"),
      Catch::Matchers::ContainsSubstring("\"model.blocks.attention.mask.window.middle\" is not a key"));
}

TEST_CASE("changes of heads come back from a file, whatever their kind", "[document_json][models]") {
  using Kind = HeadChange::Kind;
  ModelContext within = all_set();
  const auto numbers = std::make_shared<Tensor>(Shape{2, 3}, std::vector<float>{0, -1.5f, 2, 3, 1e-30f, 5});
  int head = 0;
  for (const Kind kind : {Kind::Zero, Kind::Mean, Kind::Uniform, Kind::PreviousToken, Kind::Identity,
                          Kind::FirstToken, Kind::Frozen, Kind::Replaced}) {
    HeadChange change{
        .of = static_cast<AttentionOf>(head % 3), .block = 2 + head, .head = 9 - head, .kind = kind};
    if (kind == Kind::Frozen || kind == Kind::Replaced) change.tensor = numbers;
    if (kind == Kind::Mean || kind == Kind::Replaced) change.rows = {0, 4, 11};
    within.changes.heads.push_back(change);
    ++head;
  }
  ModelContext found = reopened(within);
  REQUIRE(found.changes.heads.size() == within.changes.heads.size());
  for (std::size_t i = 0; i < found.changes.heads.size(); ++i) {
    CAPTURE(i);
    TensorPtr& tensor = found.changes.heads[i].tensor;
    REQUIRE((tensor != nullptr) == (within.changes.heads[i].tensor != nullptr));
    if (!tensor) continue;
    CHECK(tensor->shape() == numbers->shape());
    CHECK(std::vector<float>(tensor->values().begin(), tensor->values().end()) ==
          std::vector<float>(numbers->values().begin(), numbers->values().end()));
    tensor = numbers;
  }
  CHECK(found == within);
}

TEST_CASE("each change of a layer comes back from a file", "[document_json][models]") {
  const std::vector<BlockChange> changes{{.block = 1, .attention_off = true},
                                         {.block = 2, .mlp_off = true},
                                         {.block = 3, .mask_off = true},
                                         {.block = 4, .causal = true},
                                         {.block = 5, .scale = 0.75},
                                         {.block = 6, .scale = 0},
                                         {.block = 7, .temperature = 1.5},
                                         {.of = AttentionOf::Encoder, .block = 8},
                                         {.of = AttentionOf::Cross,
                                          .block = 9,
                                          .attention_off = true,
                                          .causal = true,
                                          .scale = 2,
                                          .temperature = 0.5}};
  ModelContext within = all_set();
  within.changes.blocks = changes;
  CHECK(reopened(within) == within);
}

TEST_CASE("scale and temperature of a layer come back to the last bit", "[document_json][models]") {
  ModelContext within = all_set();
  for (const double value : {1 / std::sqrt(8.0), 0.1, 1.0 / 3, 1e-20, 123456789.123, 2.0}) {
    REQUIRE((value == 2 || static_cast<double>(static_cast<float>(value)) != value));
    within.changes.blocks.push_back({.block = 1, .scale = value});
    within.changes.blocks.push_back({.block = 2, .temperature = value});
    within.changes.blocks.push_back({.block = 3, .scale = -value, .temperature = value});
  }
  CHECK(reopened(within) == within);
}

TEST_CASE("a file with the digits of floats opens as before", "[document_json][models]") {
  const ModelContext within = read_within(
      json::parse(R"({"path": "m", "blocks": [{"block": 4, "scale": 0.35355338, "temperature": 2}]})"),
      "test.json");
  REQUIRE(within.changes.blocks.size() == 1);
  const BlockChange& change = within.changes.blocks[0];
  REQUIRE(change.scale);
  CHECK(static_cast<float>(*change.scale) == 0.35355338f);
  CHECK(change.temperature == 2);
}

TEST_CASE("what cannot be a model's place or change is refused by its name", "[document_json][models]") {
  const auto refusal = [](const std::string& text) {
    return test::message_of<Error>([&] { read_within(json::parse(text), "test.json"); });
  };
  const auto names = [&](const std::string& text, const std::string& name) {
    CAPTURE(text, name);
    CHECK(refusal(text).find(name) != std::string::npos);
  };
  names(R"({})", "path");
  names(R"({"path": "m", "fingerprint": "xyz"})", "fingerprint");
  names(R"({"path": "m", "fingerprint": "12 "})", "fingerprint");
  names(R"({"path": "m", "block": -1})", "block");
  names(R"({"path": "m", "of": "both"})", "of");
  names(R"({"path": "m", "chat_day": "2024-02-30"})", "chat_day");
  names(R"({"path": "m", "chat_day": ""})", "chat_day");
  names(R"({"path": "m", "heads": {}})", "heads");
  names(R"({"path": "m", "heads": [{"kind": "loud"}]})", "kind");
  names(R"({"path": "m", "blocks": [{"temperature": 0}]})", "temperature");
  names(R"({"path": "m", "blocks": [{"temperature": 1e-60}]})", "temperature");
  names(R"({"path": "m", "blocks": [{"scale": 1e300}]})", "scale");
  names(R"({"path": "m", "blocks": [{"scale": "1"}]})", "scale");
  names(R"({"path": "m", "blocks": [{"unheard_of": 1}]})", "unheard_of");
  names(R"({"path": "m", "masked": [{"word": 3}]})", "word");
}

}  // namespace attnscope::model_context_json_test
