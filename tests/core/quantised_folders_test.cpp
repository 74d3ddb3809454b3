// Quantised folders of Hugging Face: the numbers of every form (goldens/make_quantised_folder_goldens.py), in
// pieces and in products, what is refused, and whole tiny models.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/random.hpp"
#include "core/blocks/weight_product.hpp"
#include "core/files/formats/safetensors.hpp"
#include "core/models/model.hpp"
#include "core/models/quantised/quantised_config.hpp"
#include "core/models/quantised/quantised_tensor.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::quantised_folders_test {

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;
using nlohmann::json;
using test::message_of;

namespace {

bool same_bits(std::span<const float> a, std::span<const float> b) {
  return std::ranges::equal(a, b, [](float x, float y) {
    return (std::isnan(x) && std::isnan(y)) ||
           std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y);
  });
}

QuantisedForm form_of(const json& config) {
  const std::string where = "config.json";
  const json root{{config.contains("quant_method") ? "quantization_config" : "quantization", config}};
  return quantised_form(ConfigObject(root, "", where));
}

/// The goldens of one form.
class Form {
 public:
  Form(const SafetensorsFile& file, std::string name) : file_(file), name_(std::move(name)) {
    form = form_of(json::parse(file.metadata().at(name_)));
  }

  Tensor values() const { return to_tensor<float>(*file_.find(name_ + "/values"), file_.path()); }
  /// Without the tensor `hidden`.
  StoredTensor weights(const Shape& shape, const std::string& hidden = "") {
    const std::string name = form.method == QuantisedForm::Method::Mxfp4 ? "w_blocks" : "w.weight";
    const std::optional<StoredTensor> made =
        quantised_tensor(form, name, shape, [&](const std::string& part) -> TensorInFile {
          const TensorEntry* const found = part == hidden ? nullptr : file_.find(name_ + "/" + part);
          if (found == nullptr) return {};
          found_.insert(part);
          return {&file_, found};
        });
    REQUIRE(made.has_value());
    return *made;
  }
  const std::set<std::string>& found() const { return found_; }

  QuantisedForm form;

 private:
  const SafetensorsFile& file_;
  std::string name_;
  std::set<std::string> found_;
};

SafetensorsFile goldens() {
  return SafetensorsFile(fs::path(ATTNSCOPE_TESTS) / "goldens/quantised_folders.safetensors");
}

}  // namespace

TEST_CASE("matrices of quantised folders have the numbers of their libraries") {
  const SafetensorsFile file = goldens();
  CHECK(file.metadata().size() >= 22);
  for (const auto& [name, config] : file.metadata()) {
    INFO(name);
    Form form(file, name);
    const Tensor expected = form.values();
    const StoredTensor weights = form.weights(expected.shape());
    CHECK(weights.type() == ElementType::Coded);
    const Tensor found = weights.widened();
    CHECK(same_bits(found.values(), expected.values()));
    // Pieces that begin and end anywhere.
    std::vector<float> piece(static_cast<std::size_t>(found.size()));
    bool same = true;
    for (std::int64_t first = 0; first < found.size(); first += 7)
      for (std::int64_t length = first % 5; first + length <= found.size(); length += 31) {
        const auto some = std::span(piece).first(static_cast<std::size_t>(length));
        weights.read(first, some);
        same =
            same &&
            same_bits(some, std::span(found.values()).subspan(static_cast<std::size_t>(first), some.size()));
      }
    if (found.shape().rank() == 2)
      for (std::int64_t first = 0; first < found.shape()[1]; first += 3) {
        const std::int64_t width = std::min<std::int64_t>(1 + first % 19, found.shape()[1] - first);
        Tensor columns(Shape{found.shape()[0], width});
        weights.read_columns(first, columns.matrix());
        for (std::int64_t row = 0; row < found.shape()[0]; ++row)
          same = same && same_bits(std::span(columns.values())
                                       .subspan(static_cast<std::size_t>(row * width),
                                                static_cast<std::size_t>(width)),
                                   std::span(found.values())
                                       .subspan(static_cast<std::size_t>(row * found.shape()[1] + first),
                                                static_cast<std::size_t>(width)));
      }
    CHECK(same);
  }
}

TEST_CASE("a product with codes has the bits of widening them first, and NaN only in their columns") {
  const SafetensorsFile file = goldens();
  ThreadPool one(1), three(3);
  for (const auto& [name, config] : file.metadata()) {
    INFO(name);
    Form form(file, name);
    const Tensor values = form.values();
    if (values.shape().rank() != 2) continue;
    const StoredTensor weights = form.weights(values.shape());
    const StoredTensor wide(std::make_shared<const Tensor>(values));
    for (const WeightLayout layout : {WeightLayout::OutIn, WeightLayout::InOut})
      for (const std::int64_t rows : {1, 5}) {
        const bool out_in = layout == WeightLayout::OutIn;
        const std::int64_t d_in = values.shape()[out_in ? 1 : 0], d_out = values.shape()[out_in ? 0 : 1];
        Tensor x(Shape{rows, d_in});
        fill_normal(x.values(), 481, 0, 1);
        const auto product = [&](ThreadPool& pool, const StoredTensor& by) {
          Tensor y(Shape{rows, d_out});
          multiply({pool, {}}, {x.data(), rows, d_in, d_in}, {by, layout, {}},
                   {y.data(), rows, d_out, d_out});
          return y;
        };
        CHECK(same_bits(product(three, weights).values(), product(one, wide).values()));
      }
  }
}

TEST_CASE("parts of a quantised matrix that are missing or do not fit are named") {
  const SafetensorsFile file = goldens();
  for (const auto& [name, config] : file.metadata()) {
    INFO(name);
    Form form(file, name);
    const Shape shape = form.values().shape();
    form.weights(shape);
    for (const std::string& part : std::set<std::string>(form.found())) {
      INFO(part);
      // Without these there is another form, or an order that is usual.
      const bool optional = part == "w.weight_shape" || part == "w.g_idx" || part == "w.weight.nested_absmax";
      const bool first = part == "w.weight" || part == "w.qweight" || part == "w.weight_packed" ||
                         part == "w.scales" || part == "w.weight.absmax" || part == "w.SCB" ||
                         (part == "w.weight_scale" && name.starts_with("int8"));
      if (!optional && !first) CHECK_THROWS_AS(form.weights(shape, part), Error);
    }
    // (Of MLX the numbers of bits and groups follow from the shapes.)
    for (const Shape& other : {Shape{shape[0] + 8, shape[1]}, Shape{shape[0], shape[1] + 64}}) {
      INFO(to_string(other));
      if (shape.rank() == 2 && !name.starts_with("mlx")) CHECK_THROWS_AS(form.weights(other), Error);
    }
  }
  Form gptq(file, "gptq_8");
  gptq.form.group = 48;
  CHECK_THAT(message_of<Error>([&] {
               gptq.weights({48, 64});
             }),
             ContainsSubstring("groups of 48") && ContainsSubstring("\"gptq\""));
  Form four(file, "nf4_nested");
  CHECK_THAT(message_of<Error>([&] {
               four.weights({72, 40});
             }),
             ContainsSubstring("[72, 40]") && ContainsSubstring("\"bitsandbytes\""));
}

TEST_CASE("ways to quantise that are not read are refused by name, with what to do") {
  const std::vector<std::pair<json, std::string>> cases{
      {{{"quant_method", "hqq"}}, "by \"hqq\""},
      {{{"quant_method", "aqlm"}}, "by \"aqlm\""},
      {{{"quant_method", "gptq"}, {"bits", 3}}, "by \"gptq\" with 3 bits"},
      {{{"quant_method", "gptq"}, {"bits", 4}, {"checkpoint_format", "marlin"}}, "checkpoint_format"},
      {{{"quant_method", "gptq"}, {"bits", 4}, {"dynamic", {{"a", 1}}}}, "dynamic"},
      {{{"quant_method", "awq"}, {"bits", 4}, {"version", "gemv"}}, "version"},
      {{{"quant_method", "awq"}, {"bits", 8}}, "8 bits"},
      {{{"quant_method", "awq"}, {"bits", 4}, {"zero_point", false}}, "without zero points"},
      {{{"quant_method", "fp8"}, {"activation_scheme", "dynamic"}, {"weight_block_size", {0, 128}}},
       "weight_block_size"},
      {{{"quant_method", "fp8"}, {"fmt", "e3m4"}}, "fmt"},
      {{{"quant_method", "fp8"}, {"weight_block_size", {128, 128}}}, "without activation_scheme"},
      {{{"quant_method", "compressed-tensors"}, {"format", "marlin-24"}}, "\"marlin-24\""},
      {{{"quant_method", "compressed-tensors"},
        {"format", "int-quantized"},
        {"sparsity_config", {{"format", "sparse-bitmask"}}}},
       "sparse-bitmask"},
      {{{"bits", 4}, {"group_size", 32}, {"mode", "mxfp4"}}, "mode"},
  };
  for (const auto& [config, words] : cases) {
    INFO(config.dump());
    CHECK_THAT(message_of<Error>([&] { form_of(config); }),
               ContainsSubstring(words) && ContainsSubstring("save_pretrained"));
  }
  CHECK(form_of({{"bits", 4}, {"group_size", 32}}).method == QuantisedForm::Method::Mlx);
  CHECK(form_of({{"quant_method", "gptq"}, {"bits", 4}, {"group_size", -1}}).group == 0);
}

TEST_CASE("tiny quantised models open with their weights where they lie") {
  const fs::path folder = fs::path(ATTNSCOPE_SHARED) / "vectors/families";
  if (!exists(folder)) SKIP("no folder shared/vectors/families");
  for (const auto& [name, type] : {std::pair("qwen3_fp8", "FP8"), std::pair("llama_ct_int4", "INT4"),
                                   std::pair("llama_ct_int8", "INT8"), std::pair("llama_gptq", "GPTQ 4 bit"),
                                   std::pair("llama_awq", "AWQ 4 bit"), std::pair("llama_bnb_nf4", "NF4")}) {
    INFO(name);
    if (!exists(folder / name)) continue;
    const ModelPtr model = open_model(folder / name);
    CHECK(model->ignored.empty());
    const BlockWeights& block = model->decoder.blocks.at(0);
    for (const LinearMap* map : {&block.up, &block.down, &block.attention.output}) {
      CHECK(map->weight.type_name() == type);
      CHECK(map->weight.floats().empty());
    }
  }
}

}  // namespace attnscope::quantised_folders_test
