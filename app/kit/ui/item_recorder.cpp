#include "app/kit/ui/item_recorder.hpp"

#include <imgui.h>
#include <imgui_internal.h>

namespace {

attnscope::ItemRecorder* recorder_of(const ImGuiContext* context) {
  return static_cast<attnscope::ItemRecorder*>(context->TestEngine);
}

}  // namespace

// The four functions Dear ImGui calls when it is compiled with IMGUI_ENABLE_TEST_ENGINE and
// TestEngineHookItems is set.

void ImGuiTestEngineHook_ItemAdd(ImGuiContext* context, ImGuiID id, const ImRect& box,
                                 const ImGuiLastItemData*) {
  attnscope::ItemRecorder* recorder = recorder_of(context);
  const ImGuiWindow* window = context->CurrentWindow;
  if (!recorder || !window || window->IsFallbackWindow || id == 0) return;
  ImRect seen = box;
  seen.ClipWith(window->ClipRect);
  const bool visible = !window->SkipItems && seen.GetWidth() > 0 && seen.GetHeight() > 0;
  if (!visible) seen = box;
  // The stack is empty while a window adds itself as an item.
  const ImGuiID seed = window->IDStack.empty() ? 0 : window->IDStack.back();
  recorder->add({id, seed, {}, window->Name, seen.Min, seen.Max, visible});
}

void ImGuiTestEngineHook_ItemInfo(ImGuiContext* context, ImGuiID id, const char* label,
                                  ImGuiItemStatusFlags) {
  if (attnscope::ItemRecorder* recorder = recorder_of(context)) recorder->label(id, label);
}

void ImGuiTestEngineHook_Log(ImGuiContext*, const char*, ...) {}

const char* ImGuiTestEngine_FindItemDebugLabel(ImGuiContext*, ImGuiID) { return nullptr; }

namespace attnscope {

void ItemRecorder::start() {
  context_ = ImGui::GetCurrentContext();
  context_->TestEngine = this;
  context_->TestEngineHookItems = true;
}

void ItemRecorder::stop() {
  if (!context_) return;
  context_->TestEngineHookItems = false;
  context_->TestEngine = nullptr;
  context_ = nullptr;
}

const RecordedItem* ItemRecorder::find(std::string_view label) const {
  const RecordedItem* hidden = nullptr;
  for (const RecordedItem& item : items_) {
    if (item.label != label && item.id != ImHashStr(label.data(), label.size(), item.seed)) continue;
    if (item.visible) return &item;
    if (!hidden) hidden = &item;
  }
  return hidden;
}

void ItemRecorder::label(ImGuiID id, const char* text) {
  for (auto item = items_.rbegin(); item != items_.rend(); ++item) {
    if (item->id != id) continue;
    item->label.assign(text, ImGui::FindRenderedTextEnd(text));
    return;
  }
}

}  // namespace attnscope
