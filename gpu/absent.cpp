// gpu: replaces the CUDA backend in builds without CUDA kernels, so that no other room needs a conditional.
#include "gpu/cuda_backend.hpp"

namespace attnscope {

std::unique_ptr<Backend> make_cuda_backend(std::string& why_not, SharedPool) {
  why_not = "This build has no CUDA kernels, so the CPU computes everything.";
  return nullptr;
}

std::shared_ptr<RowOperators> make_cuda_rows(std::string& why_not) {
  why_not = "This build has no CUDA kernels, so the CPU runs models.";
  return nullptr;
}

}  // namespace attnscope
