#include "app/results/choose_backend.hpp"

#include "core/base/error.hpp"
#include "core/engine/one_at_a_time.hpp"
#include "gpu/cuda_backend.hpp"

namespace attnscope {
namespace {

/// The CPU has finished a run of a smaller model before a card has begun.
constexpr std::int64_t least_weights = std::int64_t{1} << 22;

}  // namespace

std::optional<BackendPreference> backend_preference_named(std::string_view name) {
  if (name == "auto") return BackendPreference::Auto;
  if (name == "cpu") return BackendPreference::Cpu;
  if (name == "cuda") return BackendPreference::Cuda;
  return std::nullopt;
}

std::vector<BackendChoice> list_backends(bool with_cuda, const SharedPool& pool) {
  std::vector<BackendChoice> all{{"CPU", one_at_a_time(make_cpu_backend(pool)), {}, nullptr}};
  if (!with_cuda) return all;
  BackendChoice cuda{"CUDA", nullptr, {}, nullptr};
  if (std::unique_ptr<Backend> made = make_cuda_backend(cuda.why_not, pool)) {
    cuda.backend = one_at_a_time(std::move(made));
    cuda.why_not.clear();
    std::string why_no_other;  // without it the CPU computes what is looked at
    if (std::unique_ptr<Backend> beside = make_cuda_backend(why_no_other, pool))
      cuda.beside = one_at_a_time(std::move(beside));
    cuda.rows = [](std::int64_t weights, std::string& why_not) {
      return weights < least_weights ? nullptr : make_cuda_rows(why_not);
    };
  }
  all.push_back(std::move(cuda));
  return all;
}

const BackendChoice& chosen_backend(const std::vector<BackendChoice>& all, BackendPreference preference) {
  if (preference == BackendPreference::Cpu || all.size() < 2) return all.front();
  const BackendChoice& cuda = all.back();
  if (cuda.backend) return cuda;
  if (preference == BackendPreference::Auto) return all.front();
  throw Error("CUDA was asked for. " + cuda.why_not);
}

}  // namespace attnscope
