#include "app/scene/scene.hpp"

namespace attnscope {

Scene scene_of_held(Scene& scene) { return scene_of_held(scene, scene.selection, scene.next); }

Scene scene_of_held(Scene& scene, Selection& selection, Selection& next) {
  const HeldResult& held = *scene.held;
  const Shown shown{.ui = scene.ui,
                    .run = *held.result,
                    .result = held.result->layer(),
                    .selected = selection,
                    .stats = *held.stats,
                    .head_maps = scene.head_maps,
                    .tiles = scene.held_tiles,
                    .held = &held,
                    .examples = scene.examples,
                    .languages = scene.languages,
                    .compact = scene.compact,
                    .edited = scene.edited};
  const Edits& edits = scene;
  return {shown, {edits.document, selection, next, edits.view, edits.requests, edits.engine, edits.backends}};
}

}  // namespace attnscope
