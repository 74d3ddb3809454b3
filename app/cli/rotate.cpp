#include "app/cli/rotate.hpp"

#include <fmt/format.h>

#include "app/cli/parts/tensor_output.hpp"
#include "core/attention/positions.hpp"
#include "core/attention/projections.hpp"
#include "core/base/error.hpp"
#include "core/base/parallel.hpp"
#include "core/files/archives/npz.hpp"
#include "core/files/import/tensor_refusals.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

/// The input file with the tensors of the operator.
template <class T>
class RotaryFile {
 public:
  RotaryFile(const SafetensorsFile& file, const RotateOptions& options) : file_(file), options_(options) {}

  /// [batch][heads][n][d]
  TensorOf<T> input() const {
    TensorOf<T> given = read("input");
    const Shape& shape = given.shape();
    if (shape.rank() == 4) return given;
    if (shape.rank() != 3) fail("input", shape, "[batch, heads, n, d] or [batch, n, heads · d]");
    if (options_.heads < 1 || shape[2] % options_.heads != 0) {
      fail("input", shape,
           fmt::format("a last size that can be cut into heads (--heads is {})", options_.heads));
    }
    return split(given, 0, options_.heads, shape[2] / options_.heads, 0);
  }

  Rotation<T> rotation(const Shape& input) const {
    const std::int64_t dims = options_.dims == 0 ? input[3] : options_.dims;
    if (dims % 2 != 0 || dims > input[3]) {
      throw Error(
          fmt::format("{}: {} dimensions cannot be rotated; heads have {}, and it must be an even number.",
                      in_quotes(file_.path().native()), dims, input[3]));
    }
    return {table("cos_cache", input, dims / 2), table("sin_cache", input, dims / 2), options_.interleaved};
  }

 private:
  TensorOf<T> read(std::string_view name) const {
    const TensorEntry* entry = file_.find(name);
    if (entry == nullptr) refuse_tensor(file_, name, "is missing, expected input, cos_cache and sin_cache");
    check_real(file_, *entry);
    return to_tensor<T>(*entry, file_.path());
  }

  [[noreturn]] void fail(std::string_view name, const Shape& shape, std::string_view expected) const {
    refuse_tensor(file_, name, fmt::format("has shape {}, expected {}", to_string(shape), expected));
  }

  /// [batch][n][pairs]: the table itself, or its rows by position_ids.
  TensorOf<T> table(std::string_view name, const Shape& input, std::int64_t pairs) const {
    TensorOf<T> cache = read(name);
    const Shape full{input[0], input[2], pairs};
    const TensorEntry* ids = file_.find("position_ids");
    if (ids == nullptr) {
      if (cache.shape() != full)
        fail(name, cache.shape(), to_string(full) + ", since there are no position_ids");
      return cache;
    }
    if (cache.shape().rank() != 2 || cache.shape()[1] != pairs)
      fail(name, cache.shape(), fmt::format("[positions, {}]", pairs));
    const TensorOf<double> positions = to_tensor<double>(*ids, file_.path());
    if (positions.shape() != Shape{input[0], input[2]})
      fail("position_ids", positions.shape(), to_string(Shape{input[0], input[2]}));
    TensorOf<T> rows(full);
    for (std::int64_t i = 0; i < positions.size(); ++i) {
      const double position = positions.data()[i];
      if (!(position >= 0) || position >= static_cast<double>(cache.shape()[0])) {
        throw Error(fmt::format("{}: position_ids holds {}, expected a row of {}: 0 to {}.",
                                in_quotes(file_.path().native()), position, in_quotes(name),
                                cache.shape()[0] - 1));
      }
      std::copy_n(cache.data() + static_cast<std::int64_t>(position) * pairs, pairs, rows.data() + i * pairs);
    }
    return rows;
  }

  const SafetensorsFile& file_;
  const RotateOptions& options_;
};

template <class T>
void compute(const RotateOptions& options, const SafetensorsFile& file) {
  const RotaryFile<T> tensors(file, options);
  const TensorOf<T> input = tensors.input();
  ThreadPool pool;
  const Work work{pool, {}};
  TensorOf<T> turned = rotate(work, input, tensors.rotation(input.shape()));
  const TensorEntry& entry = *file.find("input");
  TensorOutput output(entry.dtype);
  output.add<T>("output", entry.shape.size() == 4 ? std::move(turned) : concat(work, turned));
  output.write(options.out);
}

}  // namespace

void rotate_tensor(const RotateOptions& options) {
  const SafetensorsFile file = open_tensors(options.in);
  const TensorEntry* input = file.find("input");
  if (input != nullptr && input->dtype == DType::F64) {
    compute<double>(options, file);
  } else {
    compute<float>(options, file);
  }
}

}  // namespace attnscope
