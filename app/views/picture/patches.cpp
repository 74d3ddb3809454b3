#include "app/views/picture/patches.hpp"

#include <algorithm>

#include "app/scene/picture.hpp"
#include "app/state/model_look.hpp"
#include "core/engine/model/model_reading.hpp"
#include "core/models/pictures/image_input.hpp"

namespace attnscope {

std::string Patches::place(std::int64_t token) const {
  if (token < first) return "[CLS]";
  return std::to_string((token - first) / columns) + "," + std::to_string((token - first) % columns);
}

std::string Patches::name(std::int64_t token) const {
  return token < first ? place(token) : "patch " + place(token);
}

Box Patches::box(const Box& picture, std::int64_t token) const {
  if (token < first || token >= tokens()) return {};
  return cell_box(picture, (token - first) / columns, (token - first) % columns, rows, columns);
}

std::int64_t Patches::at(const Box& picture, ImVec2 point) const {
  const Cell cell = cell_at(picture, point, rows, columns);
  return first + cell.query * columns + cell.key;
}

std::int64_t Patches::neighbour(std::int64_t token, int down, int right) const {
  if (token < first) return first;
  const std::int64_t row = std::clamp<std::int64_t>((token - first) / columns + down, 0, rows - 1),
                     column = std::clamp<std::int64_t>((token - first) % columns + right, 0, columns - 1);
  return first + row * columns + column;
}

void Patches::draw_ring(const Ui& ui, const Box& picture, std::int64_t token, Rgba colour) const {
  const Box patch = box(picture, token);
  if (patch.w < 1) return;
  const float halo = ui.px(1.5f), line = ui.px(2);
  ui.frame(patch.grown(line + halo), fade(ui.theme.canvas, 0.85f), halo, ui.px(3));
  ui.frame(patch.grown(line), colour, line, ui.px(2));
}

Patches patches_of(const Shown& shown) {
  const ModelReading& reading = *shown.model;
  const Shape& shape = reading.tokens->input.image.shape();
  Patches patches;
  patches.side = reading.within.model->model->spec.image->patch;
  patches.rows = shape[1] / patches.side;
  patches.columns = shape[2] / patches.side;
  patches.first = std::ssize(reading.tokens->tokens.tokens) - patches.rows * patches.columns;
  return patches;
}

void draw_patch_lines(const Ui& ui, const Patches& patches, const Box& picture) {
  if (picture.w / static_cast<float>(patches.columns) < ui.px(6)) return;
  const Rgba line = fade(0xFFFFFFFFu, 0.28f);
  for (std::int64_t column = 1; column < patches.columns; ++column)
    ui.vertical(cell_box(picture, 0, column, patches.rows, patches.columns).x, picture.y, picture.h, line);
  for (std::int64_t row = 1; row < patches.rows; ++row)
    ui.horizontal(picture.x, cell_box(picture, row, 0, patches.rows, patches.columns).y, picture.w, line);
}

const RgbPicture& kept_photo(Scene& scene) {
  PictureState& state = model_look_of(scene.view).picture;
  const std::shared_ptr<const ModelTokens>& tokens = scene.model->tokens;
  if (state.photo_of != tokens || !state.photo) {
    state.photo = std::make_shared<const RgbPicture>(
        picture_of_input(tokens->input.image, *scene.model->within.model->preparation));
    state.photo_of = tokens;
  }
  return *state.photo;
}

}  // namespace attnscope
