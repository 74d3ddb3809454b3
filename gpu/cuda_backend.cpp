#include "gpu/cuda_backend.hpp"

#include <utility>

#include "gpu/card_backend.hpp"
#include "gpu/card_rows.hpp"
#include "gpu/cuda_device.hpp"

namespace attnscope {

std::unique_ptr<Backend> make_cuda_backend(std::string& why_not, SharedPool pool) {
  std::unique_ptr<gpu::Device> device = gpu::open_cuda_device(why_not);
  return device ? gpu::make_card_backend(std::move(device), {}, std::move(pool)) : nullptr;
}

std::shared_ptr<RowOperators> make_cuda_rows(std::string& why_not) {
  std::shared_ptr<gpu::Device> device = gpu::open_cuda_device(why_not);
  return device ? gpu::make_card_rows(std::move(device), why_not) : nullptr;
}

}  // namespace attnscope
