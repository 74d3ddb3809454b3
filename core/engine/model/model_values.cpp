#include "core/engine/model/model_values.hpp"

#include <vector>

#include "core/base/error.hpp"
#include "core/engine/model/usual_contribution.hpp"
#include "core/readouts/contribution.hpp"

namespace attnscope {

bool has_attention(const ModelSpec& spec, AttentionOf of) {
  if (of == AttentionOf::Encoder) return spec.encoder.has_value();
  return spec.decoder && (of == AttentionOf::Decoder || spec.decoder->cross);
}

void ModelValues::begin(ModelRunPtr run) {
  if (run == run_) return;
  run_ = std::move(run);
  norms_.reset();
  usual_ = 1;
}

const TensorOf<double>& ModelValues::squares(const Model& model, AttentionOf of, std::size_t block,
                                             const Work& work) {
  const auto found = squares_.find({of, block});
  if (found != squares_.end()) return found->second;
  if (work.stop.stop_requested()) throw Cancelled();
  return squares_.emplace(std::pair(of, block), output_squares(model, of, block)).first->second;
}

void ModelValues::step(const Model& model, const Work& work) {
  auto made = std::make_shared<ValueNorms>();
  for (const AttentionOf of : {AttentionOf::Encoder, AttentionOf::Decoder, AttentionOf::Cross}) {
    if (!has_attention(model.spec, of)) continue;
    const StackSpec& stack = model.spec.stack(of);
    auto& blocks = (*made)[static_cast<std::size_t>(of)];
    blocks.resize(stack.blocks.size());
    for (std::size_t block = 0; block < blocks.size(); ++block)
      for (std::int64_t head = 0; head < stack.blocks[block].heads; ++head) {
        const std::vector<double> norms =
            value_norms(model, *run_, of, block, head, squares(model, of, block, work), work);
        blocks[block].emplace_back(norms.begin(), norms.end());
      }
  }
  usual_ = usual_contribution(*run_, *made);
  norms_ = std::move(made);
}

}  // namespace attnscope
