#include "app/cli/models/batch_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/files/formats/safetensors.hpp"

namespace attnscope {
namespace {

/// The inputs of a batch in a file, under the names of transformers.
class BatchFile {
 public:
  explicit BatchFile(const std::filesystem::path& path) : file_(path) {}

  std::vector<ModelInput> read(const ModelSpec& of) const {
    refuse_unread(of);
    std::vector<ModelInput> inputs;
    if (const TensorEntry* pixels = file_.find("pixel_values")) {
      const Tensor all = to_tensor<float>(*pixels, file_.path());
      if (all.shape().rank() != 4) fail("pixel_values", "four dimensions [batch][channels][height][width]");
      const Shape one{all.shape()[1], all.shape()[2], all.shape()[3]};
      for (std::int64_t b = 0; b < all.shape()[0]; ++b) {
        ModelInput& input = inputs.emplace_back();
        input.image = Tensor(one);
        std::copy_n(all.data() + b * one.count(), one.count(), input.image.data());
      }
      return inputs;
    }
    const auto ids = rows("input_ids");
    if (ids.empty()) fail("input_ids", "at least one sequence; it is missing or empty");
    inputs.resize(ids.size());
    for (std::size_t b = 0; b < ids.size(); ++b) inputs[b].ids = ids[b];
    take("position_ids", inputs, &ModelInput::positions);
    take("token_type_ids", inputs, &ModelInput::types);
    take("decoder_input_ids", inputs, &ModelInput::decoder_ids);
    const auto marks = rows("attention_mask");
    if (!marks.empty() && marks.size() != inputs.size())
      fail("attention_mask", "as many sequences as input_ids has");
    for (std::size_t b = 0; b < marks.size(); ++b)
      for (const std::int64_t mark : marks[b]) inputs[b].mask.push_back(mark != 0 ? 1 : 0);
    return inputs;
  }

 private:
  /// Refuses tensors that transformers accepts, that are not read here and that would change the numbers.
  void refuse_unread(const ModelSpec& of) const {
    constexpr auto unread = std::to_array<const char*>(
        {"inputs_embeds", "decoder_inputs_embeds", "encoder_hidden_states", "encoder_attention_mask",
         "encoder_outputs", "head_mask", "decoder_head_mask", "cross_attn_head_mask", "bool_masked_pos"});
    for (const char* name : unread)
      if (file_.find(name) != nullptr) refuse(name, "it would change the numbers and is not read here");
    for (const std::vector<std::int64_t>& row : rows("decoder_attention_mask"))
      if (std::ranges::find(row, 0) != row.end())
        refuse("decoder_attention_mask", "it hides tokens of the decoder, which is not done here");
    if (of.family == "GPT-2" && file_.find("token_type_ids") != nullptr)
      refuse("token_type_ids", "GPT-2 adds the vectors of the tokens that they name, which is not done here");
  }

  [[noreturn]] void refuse(std::string_view name, std::string_view why) const {
    throw Error(fmt::format("\"{}\": {}: {}.", file_.path().native(), name, why));
  }

  [[noreturn]] void fail(std::string_view name, std::string_view expected) const {
    throw Error(fmt::format("\"{}\": {} has to have {}.", file_.path().native(), name, expected));
  }

  /// [batch][n] whole numbers; empty if the file has no such tensor.
  std::vector<std::vector<std::int64_t>> rows(const std::string& name) const {
    const TensorEntry* entry = file_.find(name);
    if (entry == nullptr) return {};
    const TensorOf<double> all = to_tensor<double>(*entry, file_.path());
    if (all.shape().rank() != 2) fail(name, "two dimensions [batch][n]");
    std::vector<std::vector<std::int64_t>> rows;
    for (std::int64_t b = 0; b < all.shape()[0]; ++b) {
      std::vector<std::int64_t>& row = rows.emplace_back();
      for (const double value : all.matrix().row(b)) {
        if (!(std::abs(value) < 1e15) || value != std::floor(value)) fail(name, "whole numbers");
        row.push_back(static_cast<std::int64_t>(value));
      }
    }
    return rows;
  }

  void take(const std::string& name, std::vector<ModelInput>& inputs,
            std::vector<std::int64_t> ModelInput::*member) const {
    auto all = rows(name);
    if (all.empty()) return;
    if (all.size() == 1) all.resize(inputs.size(), all[0]);  // one row of position_ids is for all
    if (all.size() != inputs.size()) fail(name, "as many sequences as input_ids has");
    for (std::size_t b = 0; b < inputs.size(); ++b) inputs[b].*member = all[b];
  }

  SafetensorsFile file_;
};

}  // namespace

std::vector<ModelInput> read_batch(const std::filesystem::path& path, const ModelSpec& of) {
  return BatchFile(path).read(of);
}

}  // namespace attnscope
