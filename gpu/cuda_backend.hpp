// gpu: makes the CUDA backend, whether it was built or not. The only header of gpu that other rooms include.
#pragma once

#include <memory>
#include <string>

#include "core/blocks/row_operators.hpp"
#include "core/engine/backend.hpp"

namespace attnscope {

/// Null, and the reason as a sentence in `why_not`, when this build or this machine cannot run CUDA. The
/// pool's threads compute what the card has no kernel for.
std::unique_ptr<Backend> make_cuda_backend(std::string& why_not, SharedPool pool = {});
/// The same for the operators of models, which also need cuBLAS.
std::shared_ptr<RowOperators> make_cuda_rows(std::string& why_not);

}  // namespace attnscope
