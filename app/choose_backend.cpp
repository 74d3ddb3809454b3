#include "app/choose_backend.hpp"

#include "gpu/cuda_backend.hpp"

namespace attnscope {

ChosenBackend choose_backend() {
  ChosenBackend chosen;
  chosen.backend = make_cuda_backend(chosen.cpu_reason);
  if (chosen.backend)
    chosen.cpu_reason.clear();
  else
    chosen.backend = make_cpu_backend();
  return chosen;
}

}  // namespace attnscope
