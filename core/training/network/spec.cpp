#include "core/training/network/spec.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/document/enum_names.hpp"

namespace attnscope::training {
namespace {

constexpr int most_layers = 64, most_width = 4096, most_heads = 256, most_length = 4096,
              most_classes = 1 << 20;

void within(std::string_view field, int found, int least, int most) {
  if (found < least || found > most)
    throw Error(fmt::format("network.{} is {}; a whole number from {} to {} was expected.", field, found,
                            least, most));
}

void check_read_outs(const NetworkSpec& spec) {
  if (spec.read_outs.empty()) throw Error("network.read_outs is empty; one read-out at least was expected.");
  for (const ReadOut& read_out : spec.read_outs) {
    within("read_outs.classes", read_out.classes, 2, most_classes);
    if (read_out.tied && read_out.classes != spec.vocabulary)
      throw Error(fmt::format(
          "network.read_outs.classes is {}; a read-out that is tied has as many as there are tokens, {}.",
          read_out.classes, spec.vocabulary));
  }
}

void check_positions(const NetworkSpec& spec) {
  if (std::ranges::find(known_positions, spec.positions) == known_positions.end())
    throw Error(
        fmt::format("network.positions is {}; learned, rotary, alibi, sinusoidal or none was expected.",
                    enum_name(spec.positions).key));
  const bool rotary = spec.positions == Positions::RopeHalf;
  if (rotary && spec.d_k() % 2 != 0)
    throw Error(fmt::format(
        "network.head_width is {}; an even number was expected: rotary positions turn pairs.", spec.d_k()));
  if (!rotary && spec.no_rope_layer_interval != 0)
    throw Error(
        fmt::format("network.no_rope_layer_interval is {}; 0 was expected: no layer rotates where "
                    "network.positions is {}.",
                    spec.no_rope_layer_interval, enum_name(spec.positions).key));
  within("no_rope_layer_interval", spec.no_rope_layer_interval, 0, spec.layers);
}

void check_norms(const NetworkSpec& spec) {
  if (spec.arrangement != Arrangement::PreNorm && spec.arrangement != Arrangement::PostNorm)
    throw Error(fmt::format("The arrangement of the network is {}; pre-norm or post-norm was expected.",
                            enum_name(spec.arrangement).key));
  if (spec.norm != NormKind::LayerNorm && spec.norm != NormKind::None)
    throw Error(
        fmt::format("The norm of the network is {}; layer or none was expected.", enum_name(spec.norm).key));
  if (!spec.has_norms() && spec.arrangement != Arrangement::PreNorm)
    throw Error("The arrangement of the network is post-norm without norms; pre-norm was expected.");
}

}  // namespace

void check(const NetworkSpec& spec) {
  within("layers", spec.layers, 1, most_layers);
  within("width", spec.width, 1, most_width);
  within("heads", spec.heads, 1, most_heads);
  within("head_width", spec.head_width, 0, most_width);
  within("inner", spec.inner, 0, 4 * most_width);
  within("length", spec.length, 1, most_length);
  within("vocabulary", spec.vocabulary, spec.patch > 0 ? 0 : 2, spec.patch > 0 ? 0 : most_classes);
  within("patch", spec.patch, 0, most_width);
  if (spec.head_width == 0 && spec.width % spec.heads != 0)
    throw Error(fmt::format(
        "network.heads is {}; a number that divides the width, {}, was expected, or a head_width.",
        spec.heads, spec.width));
  check_positions(spec);
  check_norms(spec);
  if (!(spec.drawing.gain > 0 && spec.drawing.gain <= 1000))
    throw Error(
        fmt::format("network.gain is {}; a number above 0, 1000 at most, was expected.", spec.drawing.gain));
  check_read_outs(spec);
}

std::string in_words(const NetworkSpec& spec) {
  std::string words = fmt::format("{} layer{} × {} head{}, width {}{}", spec.layers,
                                  spec.layers == 1 ? "" : "s", spec.heads, spec.heads == 1 ? "" : "s",
                                  spec.width, spec.inner > 0 ? fmt::format(", MLP {}", spec.inner) : "");
  if (const int interval = spec.no_rope_layer_interval; interval > 0)
    words += fmt::format(", RoPE in {} of {} layers", spec.layers - spec.layers / interval, spec.layers);
  return words;
}

}  // namespace attnscope::training
