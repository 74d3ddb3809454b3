// gpu: the door to the CUDA backend. Whether it was built or not, this is the only thing other rooms include.
#pragma once

#include <memory>
#include <string>

#include "core/blocks/row_operators.hpp"
#include "core/engine/backend.hpp"

namespace attnscope {

/// Null, and the reason as a sentence in `why_not`, when this build or this machine cannot run CUDA.
/// What the card has no kernel for is computed with the pool.
std::unique_ptr<Backend> make_cuda_backend(std::string& why_not, SharedPool pool = {});
/// The same of what runs models; it needs cuBLAS, too.
std::shared_ptr<RowOperators> make_cuda_rows(std::string& why_not);

}  // namespace attnscope
