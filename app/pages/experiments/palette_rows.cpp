// app/pages/experiments: the page's entries in the palette, besides its actions.
#include "app/pages/experiments/parts.hpp"
#include "app/state/window_state.hpp"
#include "app/views/palette/entries.hpp"

namespace attnscope {

void add_experiments_to_palette(const Shown&, std::vector<PaletteEntry>& all) {
  for (const ExperimentWords& words : experiment_words())
    all.push_back({std::string(words.title), "experiment", words.subtitle,
                   [&words](Scene& now) {
                     now.view.mode = Mode::Experiments;
                     choose_experiment(now, words);
                   },
                   false, "experiment " + std::string(words.name)});
}

}  // namespace attnscope
