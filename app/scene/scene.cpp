#include "app/scene/scene.hpp"

namespace attnscope {

Scene scene_of_held(Scene& scene) { return scene_of_held(scene, scene.selection, scene.next); }

Scene scene_of_held(Scene& scene, Selection& selection, Selection& next) {
  const Result& run = *scene.held->result;
  return {scene.ui,       run,
          run.layer(),    *scene.held->stats,
          scene.document, selection,
          next,           scene.view,
          scene.engine,   scene.backends,
          scene.examples, scene.languages,
          scene.requests, scene.held_tiles,
          scene.held,     nullptr,
          scene.compact,  scene.edited};
}

}  // namespace attnscope
