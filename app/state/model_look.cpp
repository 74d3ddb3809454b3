#include "app/state/model_look.hpp"

#include "app/state/page/page_state.hpp"

namespace attnscope {

ModelLook& model_look_of(ViewState& view) { return pages_of(view).of<ModelLook>(); }
const ModelLook& model_look_of(const ViewState& view) { return pages_of(view).of<ModelLook>(); }

}  // namespace attnscope
