// A layer from a file whose heads are wider than d_model / heads: sizes follow from the tensors.
#include "core/files/import/layer_tensors.hpp"

#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/base/error.hpp"
#include "core/samples.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::layer_tensors_test {
namespace {

using Catch::Matchers::ContainsSubstring;

/// The path of a layer with d_model 8 and these numbers of rows.
std::filesystem::path layer_of(const test::TemporaryDirectory& directory, std::int64_t query_rows,
                               std::int64_t key_rows, std::int64_t value_rows, std::int64_t mixed) {
  samples::Random random(3);
  const std::filesystem::path path = directory / "layer.safetensors";
  const TensorPtr x = random.tensor({1, 5, 8}), q = random.tensor({query_rows, 8}),
                  k = random.tensor({key_rows, 8}), v = random.tensor({value_rows, 8}),
                  o = random.tensor({8, mixed});
  write_safetensors(
      path, std::vector<NamedTensor>{
                {"query", x.get()}, {"W_q", q.get()}, {"W_k", k.get()}, {"W_v", v.get()}, {"W_o", o.get()}});
  return path;
}

}  // namespace

TEST_CASE("the width of heads follows from W_q, their sharing from W_k, the width of values from W_v") {
  const test::TemporaryDirectory directory;
  const auto sizes = [&](std::int64_t q, std::int64_t k, std::int64_t v, std::int64_t mixed, int heads) {
    return check(document_from_layer(SafetensorsFile(layer_of(directory, q, k, v, mixed)), {.heads = heads}));
  };
  const Dimensions usual = sizes(8, 8, 8, 8, 2);
  CHECK((usual.d_k == 4 && usual.d_v == 4 && usual.kv_heads == 2));
  const Dimensions wide = sizes(24, 24, 24, 24, 2);
  CHECK((wide.d_k == 12 && wide.d_v == 12 && wide.kv_heads == 2 && wide.d_model == 8));
  const Dimensions shared = sizes(18, 6, 10, 30, 3);
  CHECK((shared.d_k == 6 && shared.kv_heads == 1 && shared.d_v == 10));
}

TEST_CASE("a W_q that cannot be cut into the heads is refused by its shape") {
  const test::TemporaryDirectory directory;
  const SafetensorsFile file(layer_of(directory, 9, 8, 8, 8));
  CHECK_THROWS_WITH(document_from_layer(file, {.heads = 2}),
                    ContainsSubstring("W_Q has shape [8, 9]; it must be [d_model, heads · d_k] = [8, 8]."));
}

}  // namespace attnscope::layer_tensors_test
