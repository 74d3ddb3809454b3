// Which cells of a head's pictures are hatched: those that the mask of its layer hides, also where the layer
// has settings of its own inside the model.
#include <limits>
#include <memory>

#include <catch2/catch_test_macros.hpp>

#include "app/kit/draw/texture.hpp"
#include "app/kit/gl/imgui_host.hpp"
#include "app/kit/gl/offscreen.hpp"
#include "app/scene/picture.hpp"
#include "app/views/figures/grid_page.hpp"
#include "app/views/model/grid_picture.hpp"
#include "app/views/model/head_map.hpp"
#include "core/document/attention_settings.hpp"
#include "core/models/opened/block_tensors.hpp"
#include "core/models/opened/opened_model.hpp"
#include "core/models/run_heads.hpp"
#include "support/letters_gpt.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::hidden_cells_test {

using test::TemporaryDirectory;

TEST_CASE("the grid, the map and the page of all heads hatch what a changed layer's own mask hides",
          "[model]") {
  const TemporaryDirectory directory;
  write_letters_gpt(directory / "letters");
  const OpenedModelPtr opened = open_whole_model(directory / "letters");
  ThreadPool pool(1);
  const Work work{pool, {}};
  LayerSpec settings = attention_only(opened->model->spec.decoder->blocks[1]);
  settings.masking.sparsity.kind = Sparsity::Kind::Strided;
  settings.masking.sparsity.stride = 2;
  auto painted = std::make_shared<Tensor>(Shape{1, 4, 7, 7});
  painted->matrix(0, 2)(6, 2) = -std::numeric_limits<float>::infinity();
  settings.masking.additive = painted;
  RunRequest request;
  request.picture_side = 64;
  request.changes.blocks = {{.block = 1, .attention = SharedValue<LayerSpec>(settings)}};
  ModelInput input;
  input.ids = {5, 6, 2, 6, 3, 4, 0};
  const auto run = std::make_shared<const ModelRun>(run_model(*opened->model, input, request, work));
  const auto is_hidden = [](int i, int j) { return j > i || (i - j) % 2 != 0 || (i == 6 && j == 2); };
  const ModelHead head{AttentionOf::Decoder, 1, 2};

  GridPlan plan;
  plan.window = {0, 0, 14, 14};
  plan.cells = {{head, {0, 0, 14, 14}}};
  const Colormap& colours = colormap(Map::Weights);
  const Image grid = GridPainter{plan, opened->model->spec, *run, colours, 1, 2, 3, 1, nullptr}.paint();
  HeadsPainting painting;
  painting.cells.push_back({head, 0, 0, 14, 14});
  painting.pixels = 2;
  painting.model = opened;
  painting.run = run;
  painting.map = colours;
  painting.hidden = 0xFF000002u;
  Image page(14, 14);
  painting.paint(page, 0, 0, work, {});

  const OffscreenContext context;
  const Framebuffer target(64, 64);
  ImGuiHost host(nullptr, false);
  TextureCache textures;
  const Theme& dark = theme(ThemeName::Dark);
  const Tensor weights = head_weights(*opened->model, *run, AttentionOf::Decoder, 1, 2, work);
  for (int frame = 0; frame < 2; ++frame) {
    target.bind();
    host.frame(64, 64, 1.0f / 60, [&] {
      ImGui::SetNextWindowPos({0, 0});
      ImGui::SetNextWindowSize({64, 64});
      ImGui::Begin("map", nullptr, ImGuiWindowFlags_NoDecoration);
      const Ui ui(dark, host.fonts(), textures, 1);
      draw_run_map(ui, "map", {opened->model->spec, run, head, weights.matrix()}, {0, 0, 63, 63},
                   {0, 0, 7, 7, false}, {});
      ImGui::End();
    });
    textures.end_frame();
  }
  const Image map = target.read();
  for (int i = 0; i < 7; ++i)
    for (int j = 0; j < 7; ++j) {
      CAPTURE(i, j);
      CHECK((grid.at(2 * j, 2 * i) == 2) == is_hidden(i, j));
      CHECK((page.at(2 * j, 2 * i) == 0xFF000002u) == is_hidden(i, j));
      const Rgba seen = map.at(9 * j + 4, 9 * i + 4) | 0xFF000000u;
      const bool hatched =
          seen == (dark.hatch_ground | 0xFF000000u) || seen == (dark.hatch_line | 0xFF000000u);
      CHECK(hatched == is_hidden(i, j));
    }
}

}  // namespace attnscope::hidden_cells_test
