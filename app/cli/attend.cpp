#include "app/cli/attend.hpp"

#include <array>
#include <memory>

#include "core/backend.hpp"
#include "core/files/open.hpp"
#include "core/files/safetensors.hpp"
#include "core/pipeline.hpp"

namespace attnscope {
namespace {

Document document_of(const AttendWish& wish) {
  Document document = document_from_tensors(SafetensorsFile(wish.in));
  document.masking.causal = wish.causal;
  document.soft_cap = wish.soft_cap;
  if (wish.scale) document.scaling = {Scaling::Kind::Factor, *wish.scale};
  return document;
}

}  // namespace

std::string attend(const AttendWish& wish) {
  Pipeline pipeline(make_cpu_backend());
  const ResultPtr result = pipeline.run(document_of(wish));

  const Dimensions& sizes = result->dimensions;
  const Shape per_query{sizes.batch, sizes.heads, sizes.queries};
  Tensor lse(per_query), entropy(per_query);
  for (std::size_t row = 0; row < result->measures.rows.size(); ++row) {
    lse.values()[row] = static_cast<float>(result->measures.rows[row].log_sum_exp);
    entropy.values()[row] = static_cast<float>(result->measures.rows[row].entropy);
  }
  const std::array tensors{
      NamedTensor{"Y", result->trace[Stage::Mix].get()},
      NamedTensor{"weights", result->trace[Stage::Softmax].get()},
      NamedTensor{"lse", &lse},
      NamedTensor{"entropy", &entropy},
  };
  write_safetensors(wish.out, tensors);
  return not_finite_note(result->document);
}

}  // namespace attnscope
