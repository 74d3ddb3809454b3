#include "app/state/model_look.hpp"

#include "app/state/window_state.hpp"

namespace attnscope {

ModelLook& model_look_of(ViewState& view) { return view.pages.of<ModelLook>(); }
const ModelLook& model_look_of(const ViewState& view) { return view.pages.of<ModelLook>(); }

}  // namespace attnscope
