// tests/fuzz: matrices of quantised folders, whose tensors have other sizes, types and bytes than they
// should. Each byte of the input is a decision.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "core/files/formats/safetensors.hpp"
#include "core/models/quantised/quantised_config.hpp"
#include "core/models/quantised/quantised_tensor.hpp"
#include "fuzz/harness.hpp"

using namespace attnscope;

namespace {

class Decisions {
 public:
  Decisions(const std::uint8_t* data, std::size_t size) : left_(data, size) {}
  /// Below `count`; 0 once the bytes have ended.
  int one_of(int count) {
    if (left_.empty()) return 0;
    const int byte = left_[0];
    left_ = left_.subspan(1);
    return byte % count;
  }
  bool seldom() { return one_of(12) == 11; }

 private:
  std::span<const std::uint8_t> left_;
};

constexpr std::array types{DType::U8,   DType::I8,  DType::F8E4M3, DType::F8E5M2, DType::F8E8M0, DType::F16,
                           DType::BF16, DType::I32, DType::U32,    DType::F32,    DType::I64};

/// Bytes of exactly their size, so that reading beyond them is seen.
struct Changed {
  std::vector<TensorEntry> tensors;
  std::vector<std::unique_ptr<std::byte[]>> bytes;
  std::vector<std::int64_t> shape;  // of the weights
};

Changed changed(const SafetensorsFile& file, const std::string& form, Decisions& decide) {
  Changed made;
  for (const TensorEntry& entry : file.tensors()) {
    if (!entry.name.starts_with(form + "/")) continue;
    TensorEntry one = entry;
    one.name.erase(0, form.size() + 1);
    if (one.name == "values") {
      made.shape = one.shape;
      continue;
    }
    if (decide.seldom()) continue;
    if (decide.seldom()) one.shape.push_back(1 + decide.one_of(3));
    if (decide.seldom()) one.shape.pop_back();
    for (std::int64_t& size : one.shape)
      if (decide.seldom()) size = decide.one_of(90);
    if (decide.seldom()) one.dtype = types[static_cast<std::size_t>(decide.one_of(types.size()))];
    const auto size = static_cast<std::size_t>(one.count() * bit_size(one.dtype) / 8);
    made.bytes.push_back(std::make_unique<std::byte[]>(size));
    std::byte* const bytes = made.bytes.back().get();
    std::copy_n(one.bytes.data(), std::min(size, one.bytes.size()), bytes);
    for (int changes = decide.seldom() ? 4 : 0; changes > 0 && size > 0; --changes)
      bytes[static_cast<std::size_t>(decide.one_of(256)) % size] = static_cast<std::byte>(decide.one_of(256));
    one.bytes = {bytes, size};
    made.tensors.push_back(std::move(one));
  }
  for (std::int64_t& size : made.shape)
    if (decide.seldom()) size = decide.one_of(120);
  return made;
}

bool same(float a, float b) { return (std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, sizeof a) == 0; }

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto map =
      std::make_shared<const MappedFile>(ATTNSCOPE_GOLDENS "/quantised_folders.safetensors");
  static const SafetensorsFile file(map->path());
  Decisions decide(data, size);
  const auto chosen =
      std::next(file.metadata().begin(), decide.one_of(static_cast<int>(file.metadata().size())));
  const nlohmann::json config = nlohmann::json::parse(chosen->second);
  const bool mlx = !config.contains("quant_method");
  const nlohmann::json root{{mlx ? "quantization" : "quantization_config", config}};
  const std::string where = "config.json";
  QuantisedForm form = quantised_form(ConfigObject(root, "", where));
  if (decide.seldom()) form.group = decide.one_of(80);
  if (decide.seldom()) form.block_rows = form.block_columns = 1 + decide.one_of(50);
  const Changed made = changed(file, chosen->first, decide);
  const SafetensorsFile opened(map, made.tensors);
  fuzz::expect_result_or_sentence([&] {
    const auto weights =
        quantised_tensor(form, form.method == QuantisedForm::Method::Mxfp4 ? "w_blocks" : "w.weight",
                         Shape(std::span(made.shape)), [&](const std::string& name) -> TensorInFile {
                           // These are read from the file, which has other bytes.
                           if (name == "w.weight_shape" || name == "w.weight_format") return {};
                           const TensorEntry* const found = opened.find(name);
                           return {found == nullptr ? nullptr : &opened, found};
                         });
    if (!weights) return;
    const Tensor all = weights->widened();
    if (all.size() == 0) return;
    const std::int64_t first = decide.one_of(256) % all.size();
    Tensor some(Shape{1 + decide.one_of(256) % (all.size() - first)});
    weights->read(first, some.values());
    for (std::int64_t i = 0; i < some.size(); ++i)
      if (!same(std::as_const(some).data()[i], all.data()[first + i]))
        fuzz::finding("other numbers", chosen->first);
  });
  return 0;
}
