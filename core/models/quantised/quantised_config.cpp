#include "core/models/quantised/quantised_config.hpp"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

using nlohmann::json;
using Method = QuantisedForm::Method;

constexpr std::string_view remedy =
    "In Python, transformers' model.dequantize() and then save_pretrained(folder) write plain numbers. Read "
    "here are fp8, compressed-tensors, gptq, awq, bitsandbytes and MLX, and GGUF files.";

/// One object that says how weights are quantised.
class FormReader {
 public:
  FormReader(const ConfigObject& config, std::string_view key, const json& value)
      : config_(config), key_(key), value_(value) {}

  QuantisedForm read() {
    form_.name = text("quant_method");
    if (form_.name.empty() && value_.contains("bits") && value_.contains("group_size"))
      read_mlx();
    else if (form_.name == "fp8")
      read_fp8();
    else if (form_.name == "compressed-tensors")
      read_compressed();
    else if (form_.name == "gptq")
      read_gptq();
    else if (form_.name == "awq")
      read_awq();
    else if (form_.name == "bitsandbytes")
      form_.method = Method::Bitsandbytes;
    else if (form_.name == "mxfp4")
      form_.method = Method::Mxfp4;
    else
      refuse("");
    return form_;
  }

 private:
  std::string text(const char* name) const {
    const auto at = value_.find(name);
    return at == value_.end() || !at->is_string() ? std::string() : at->get<std::string>();
  }
  int whole(const char* name, int fallback) const {
    const auto at = value_.find(name);
    if (at == value_.end() || at->is_null()) return fallback;
    if (!at->is_number_integer()) refuse(fmt::format(" with {} {}", name, shown(*at)));
    return static_cast<int>(std::clamp<std::int64_t>(at->get<std::int64_t>(), -1, 1 << 24));
  }
  bool is_set(const char* name) const {
    const auto at = value_.find(name);
    return at != value_.end() && !at->is_null() && *at != false && !(at->is_structured() && at->empty());
  }
  /// `how`: the part of the setting that is not read.
  [[noreturn]] void refuse(const std::string& how) const {
    const std::string by = form_.name.empty() ? "" : " by " + in_quotes(form_.name, 40);
    config_.refuse(key_,
                   fmt::format("the weights are quantised{}{}, which is not read here. {}", by, how, remedy));
  }
  /// Refuses another value than those; a missing one is not compared.
  void need(const char* name, std::initializer_list<std::string_view> read) const {
    const auto at = value_.find(name);
    if (at == value_.end() || at->is_null()) return;
    for (const std::string_view one : read)
      if (*at == one) return;
    refuse(fmt::format(" with {} {}", name, shown(*at)));
  }

  void read_fp8() {
    form_.method = Method::Fp8;
    need("fmt", {"e4m3"});
    need("activation_scheme", {"dynamic", "static"});
    // Every library that writes this form says so; without it, it is another one.
    if (!value_.contains("activation_scheme")) refuse(" without activation_scheme");
    const auto sizes = value_.find("weight_block_size");
    if (sizes == value_.end() || sizes->is_null()) return;
    const auto is_size = [](const json& size) {
      return size.is_number_integer() && size >= 1 && size <= 1 << 24;
    };
    if (!sizes->is_array() || sizes->size() != 2 || !is_size((*sizes)[0]) || !is_size((*sizes)[1]))
      refuse(fmt::format(" with weight_block_size {}", shown(*sizes)));
    form_.block_rows = (*sizes)[0];
    form_.block_columns = (*sizes)[1];
  }

  void read_compressed() {
    form_.method = Method::CompressedTensors;
    const std::string format = text("format");
    if (format != "int-quantized" && format != "naive-quantized" && format != "float-quantized" &&
        format != "pack-quantized")
      refuse(" in the format " + in_quotes(format, 40));
    const auto sparsity = value_.find("sparsity_config");
    if (sparsity == value_.end() || !sparsity->is_object() || sparsity->empty()) return;
    const auto layout = sparsity->find("format");
    if (layout != sparsity->end() && *layout != "dense")
      refuse(fmt::format(" with the sparsity {}", shown(*layout)));
  }

  void read_gptq() {
    form_.method = Method::Gptq;
    form_.bits = whole("bits", 4);
    if (form_.bits != 2 && form_.bits != 4 && form_.bits != 8)
      refuse(fmt::format(" with {} bits", form_.bits));
    form_.group = std::max(whole("group_size", 128), 0);
    need("checkpoint_format", {"gptq", "gptq_v2"});
    need("format", {"gptq", "gptq_v2"});
    need("pack_dtype", {"int32"});
    for (const char* name : {"is_marlin_format", "dynamic"})
      if (is_set(name)) refuse(fmt::format(" with {}", name));
    form_.zeros_less_one = text("checkpoint_format") != "gptq_v2" && text("format") != "gptq_v2";
  }

  void read_awq() {
    form_.method = Method::Awq;
    form_.bits = whole("bits", whole("w_bit", 4));
    if (form_.bits != 4) refuse(fmt::format(" with {} bits", form_.bits));
    form_.group = std::max(whole("group_size", whole("q_group_size", 128)), 0);
    need("version", {"gemm", "GEMM"});
    need("backend", {"autoawq"});
    if (const auto point = value_.find("zero_point"); point != value_.end() && *point == false)
      refuse(" without zero points");
  }

  void read_mlx() {
    form_.method = Method::Mlx;
    form_.name = "MLX";
    need("mode", {"affine"});
  }

  const ConfigObject& config_;
  std::string_view key_;
  const json& value_;
  QuantisedForm form_;
};

}  // namespace

QuantisedForm quantised_form(const ConfigObject& config) {
  QuantisedForm form;
  for (const std::string_view name : {"quantization_config", "compression_config", "quantization"}) {
    const json* found = config.find(name);
    if (found == nullptr || *found == false || (found->is_structured() && found->empty())) continue;
    if (!found->is_object()) config.fail(name, "an object", *found);
    if (form.method == Method::None) form = FormReader(config, name, *found).read();
  }
  return form;
}

}  // namespace attnscope
