// app/pages/model: the view of a model's page, except what other rooms know of it (ModelLook): its screens,
// their lists, typed texts.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "app/pages/model/state/compare_heads_state.hpp"
#include "app/pages/model/state/generation_state.hpp"
#include "app/pages/model/state/head_sets_state.hpp"
#include "app/pages/model/state/many_texts_state.hpp"
#include "app/pages/model/state/patching_state.hpp"
#include "app/pages/model/state/why_state.hpp"
#include "app/state/model_look.hpp"
#include "app/state/page/page_state.hpp"

namespace attnscope {

/// What the residual stream's cells show.
enum class StreamView : std::uint8_t { Lens, Norm, Inside };

struct ModelState : ModelLook {
  using Shared = ModelLook;  // see PageState

  StreamView stream = StreamView::Lens;
  WhyState split;
  AtlasState atlas;
  PatchingState patching;
  GenerationState generation;
  CompareHeadsState compare;
  HeadSetsState sets;
  ManyTextsState many;

  // Not kept in a session.
  std::optional<std::string> typed_ids;  // while the field of token ids has the keyboard
  float controls_scroll = 0;             // logical pixels
  float changes_height = 0;              // of "Changes inside" in the previous frame; logical pixels
  std::int64_t stream_back = 0;          // rows by which the residual stream is scrolled up from its end
};

/// What a session keeps of it.
void fields(PageFields&, ModelState&);

inline ModelState& model_state_of(ViewState& view) { return pages_of(view).of<ModelState>(); }
inline const ModelState& model_state_of(const ViewState& view) { return pages_of(view).of<ModelState>(); }

}  // namespace attnscope
