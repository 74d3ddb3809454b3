// core/document: the table of the settings of a Document: the member, its key in files, its limits, the
// Fields that a change touches and its words in a list of differences. Files, check(), dirty.hpp and the
// comparison iterate over it: a new setting is one row.
#pragma once

#include <limits>
#include <string_view>
#include <type_traits>

#include "core/document/document.hpp"
#include "core/document/enum_names.hpp"
#include "core/document/stage.hpp"

namespace attnscope {

/// A path of member pointers from a Document, or from its layer on screen, to a member. Not a std::tuple,
/// whose hundred instances took half the compile time of the files that use the table.
template <class... Steps>
struct MemberPath;
template <>
struct MemberPath<> {
  constexpr auto& from(auto& object) const { return object; }
};
template <class Member, class Owner, class... Steps>
struct MemberPath<Member Owner::*, Steps...> {
  Member Owner::*step;
  [[no_unique_address]] MemberPath<Steps...> rest;
  constexpr explicit MemberPath(Member Owner::*first, Steps... others) : step(first), rest(others...) {}
  constexpr auto& from(auto& owner) const { return rest.from(owner.*step); }
  constexpr auto& operator()(auto& document) const {
    if constexpr (std::is_same_v<Owner, Document>)
      return from(document);
    else
      return from(document.layer());
  }
};

/// The allowed values of a setting; ignored for bool and enumerations.
struct Limits {
  double least = -std::numeric_limits<double>::infinity();  // of a number
  double most = std::numeric_limits<double>::infinity();    // of a whole number, or of each number in a list
  bool open = false;                                        // `least` itself is too small
  std::string_view called =
      {};  // of a whole number, in check(): "The stride"; empty where it is checked elsewhere
  std::string_view refusal = {};  // of a float, in check(): "The temperature is {}; it must be …"
  double below = std::numeric_limits<double>::infinity();  // of a float: exclusive upper limit
  int rank = 0;                                            // dimensions of a tensor
  bool null_hides = false;                                 // a tensor's -inf is null in files

  /// Whether a float is within them; NaN and infinities are not.
  constexpr bool allow(float value) const {
    const double number = static_cast<double>(value);
    return (open ? number > least : number >= least) && number < below;
  }
};

/// The words of Compare for a difference. Settings without a title have their own function there.
struct DifferenceWords {
  std::string_view title = {};
  std::string_view value = {};  // of numbers "cap {}", of bool when it is on; enumerations have their words
  std::string_view none = {};   // for false, and for 0 if that means none: "no cap"
};

template <class Where>
struct Setting {
  /// The key in a document file with its enclosing objects: "mask.hidden". Empty if files have another form.
  std::string_view key;
  Where of;
  Fields touches = {};  // none: no stage reads it
  Limits limits = {};
  DifferenceWords difference = {};
  bool always = false;  // written to files even if it has its default value
};
#if defined(__clang__) && __clang_major__ < 17
template <class Where>
Setting(std::string_view, Where, Fields = {}, Limits = {}, DifferenceWords = {}, bool = false)
    -> Setting<Where>;
#endif

namespace settings {

template <class... Steps>
constexpr MemberPath<Steps...> at(Steps... steps) {
  return MemberPath<Steps...>(steps...);
}

constexpr Limits from(double least, double most, std::string_view called = {}) {
  return {.least = least, .most = most, .called = called};
}
constexpr Limits above(double least, std::string_view refusal) {
  return {.least = least, .open = true, .refusal = refusal};
}
constexpr Limits tensor(int rank, bool null_hides = false) {
  return {.rank = rank, .null_hides = null_hides};
}

/// A member of PositionSettings.
template <class T>
constexpr auto of_positions(std::string_view key, T PositionSettings::*member, Limits limits = {}) {
  return Setting{key, at(&LayerSpec::position_settings, member), {Field::Positions}, limits};
}

inline constexpr double large = 1 << 24, open_end = 1 << 30, widest = max_d_model;
inline constexpr Limits any_seed = from(0, 0x1p64);
inline constexpr Limits turns =
    above(0, "A bound of the RoPE scaling is {} turns; it must be a finite number above 0.");
inline constexpr bool always = true;
inline constexpr DifferenceWords by_itself{};

/// Rows of a table, as a function that visits them in order. A std::tuple would compare each row with all
/// others.
constexpr auto rows(auto... row) {
  return [row...](auto&& visit) { (visit(row), ...); };
}

/// Settings of the layer around the scores.
inline constexpr auto layer = rows(
    Setting{"cached",
            at(&Document::input, &Input::cached),
            {Field::Tokens},
            from(0, max_padded_length),
            {"cache", "{} cached", "no cache"}},
    Setting{"padded_length",
            at(&Document::input, &Input::padded_length),
            {Field::Tokens},
            from(0, max_padded_length),
            {"padded length", "padded to {}", "not padded"},
            always},
    Setting{"d_model", at(&LayerSpec::d_model), {Field::Width}, from(1, widest), {"width", "d {}"}, always},
    Setting{"heads", at(&LayerSpec::heads), {Field::Heads}, from(1, widest), by_itself, always},
    Setting{"kv_heads", at(&LayerSpec::kv_heads), {Field::Heads}, from(0, widest)},
    Setting{"d_k", at(&LayerSpec::d_k), {Field::Width}, from(0, widest)},
    Setting{"d_v", at(&LayerSpec::d_v), {Field::Width}, from(0, widest)},
    Setting{"seed",
            at(&LayerSpec::weights, &Weights::seed),
            {Field::Embedding},
            any_seed,
            {"seed", "seed {}"},
            always},
    Setting{"noise",
            at(&LayerSpec::weights, &Weights::noise),
            {},
            Limits{.least = 0, .refusal = "The noise is {}; it must be a finite number of at least 0."},
            {"noise", "noise {}"},
            always},
    Setting{"biases",
            at(&LayerSpec::weights, &Weights::biases),
            {},
            {},
            {"biases", "biases", "no biases"},
            always},
    Setting{"fused",
            at(&LayerSpec::weights, &Weights::fused),
            {Field::Fused},
            {},
            {"projection", "fused W", "W apart"}},
    Setting{"initialiser", at(&LayerSpec::weights, &Weights::initialiser), {}, {}, {"initialiser"}},
    Setting{"embedding", at(&Document::embedding), {Field::Embedding}, {}, {"embedding"}},
    Setting{"embedding_gain",
            at(&Document::embedding_gain),
            {Field::Embedding},
            above(0, "The gain of the embedding is {}; it must be a finite number above 0."),
            {"embedding gain", "X × {}"}},
    Setting{"qk_norm.kind", at(&LayerSpec::qk_norm, &QkNorm::kind), {Field::QkNorm}, {}, {"QK-norm"}},
    Setting{"qk_norm.epsilon",
            at(&LayerSpec::qk_norm, &QkNorm::epsilon),
            {Field::QkNorm},
            above(0, "The epsilon of the QK-norm is {}; it must be a finite number above 0."),
            {"QK-norm epsilon", "ε {}"}},
    Setting{"latent.width",
            at(&LayerSpec::latent, &Latent::width),
            {Field::Latent},
            from(0, widest, "The width of the latent"),
            {"latent", "latent {}", "no latent"}},
    Setting{"latent.shared",
            at(&LayerSpec::latent, &Latent::shared),
            {Field::Latent},
            from(0, widest, "The width of the shared key"),
            {"shared key", "{} shared", "none shared"}},
    Setting{"latent.query_width",
            at(&LayerSpec::latent, &Latent::query_width),
            {Field::Latent},
            from(0, widest, "The width of the latent of the queries"),
            {"latent of queries", "query latent {}", "no query latent"}},
    Setting{"latent.normed",
            at(&LayerSpec::latent, &Latent::normed),
            {Field::Latent},
            {},
            {"norm of latents", "latents normed", "latents not normed"}},
    Setting{"latent.epsilon",
            at(&LayerSpec::latent, &Latent::epsilon),
            {Field::Latent},
            above(0, "The epsilon of the latents' norm is {}; it must be a finite number above 0."),
            {"latent epsilon", "ε {}"}},
    Setting{"block.kind", at(&LayerSpec::block, &BlockSettings::kind), {Field::Block}, {}, {"block"}},
    Setting{"block.norm", at(&LayerSpec::block, &BlockSettings::norm), {Field::BlockNorms}, {}, {"norm"}},
    Setting{"block.epsilon",
            at(&LayerSpec::block, &BlockSettings::epsilon),
            {Field::BlockNorms},
            above(0, "The epsilon of the block's norms is {}; it must be a finite number above 0."),
            {"norm epsilon", "ε {}"}},
    Setting{"block.attention_residual",
            at(&LayerSpec::block, &BlockSettings::attention_residual),
            {Field::Residuals},
            {},
            {"residual of attention", "x + attention", "attention alone"}},
    Setting{"block.mlp_residual",
            at(&LayerSpec::block, &BlockSettings::mlp_residual),
            {Field::Residuals},
            {},
            {"residual of the MLP", "x + MLP", "MLP alone"}},
    Setting{
        "block.mlp", at(&LayerSpec::block, &BlockSettings::mlp), {Field::Mlp}, {}, {"MLP", "MLP", "no MLP"}},
    Setting{"block.gated",
            at(&LayerSpec::block, &BlockSettings::gated),
            {Field::Mlp},
            {},
            {"MLP gate", "gated", "not gated"}},
    Setting{"block.activation",
            at(&LayerSpec::block, &BlockSettings::activation),
            {Field::Mlp},
            {},
            {"activation"}},
    Setting{"block.d_inner",
            at(&LayerSpec::block, &BlockSettings::d_inner),
            {Field::Mlp},
            from(0, 8 * widest, "The width of the MLP"),
            {"width of the MLP", "d_inner {}", "d_inner 4·d"}},
    Setting{"zero_key",
            at(&LayerSpec::add_zero_attn),
            {Field::AddedKeys},
            {},
            {"zero key", "zero key", "no zero key"}},
    Setting{"positions", at(&LayerSpec::positions), {Field::Positions}, {}, by_itself, always},
    Setting{"position_settings.rope_base",
            at(&LayerSpec::position_settings, &PositionSettings::rope_base),
            {Field::Positions},
            above(1, "The rotary base is {}; it must be a finite number above 1.")},
    of_positions("position_settings.rope_dims", &PositionSettings::rope_dims,
                 from(0, widest, "The number of rotated dimensions")),
    of_positions("position_settings.rope_scaling", &PositionSettings::rope_scaling),
    Setting{
        "position_settings.rope_factor",
        at(&LayerSpec::position_settings, &PositionSettings::rope_factor),
        {Field::Positions},
        Limits{.least = 1,
               .refusal = "The factor of the RoPE scaling is {}; it must be a finite number of at least 1."}},
    of_positions("position_settings.rope_trained", &PositionSettings::rope_trained,
                 from(1, large, "The trained length of the rotary positions")),
    of_positions("position_settings.rope_low_turns", &PositionSettings::rope_low_turns, turns),
    of_positions("position_settings.rope_high_turns", &PositionSettings::rope_high_turns, turns),
    of_positions("position_settings.rope_slow_turns", &PositionSettings::rope_slow_turns, turns),
    of_positions("position_settings.rope_fast_turns", &PositionSettings::rope_fast_turns, turns),
    of_positions("position_settings.rope_truncate", &PositionSettings::rope_truncate),
    Setting{"position_settings.rope_magnitude",
            at(&LayerSpec::position_settings, &PositionSettings::rope_magnitude),
            {Field::Positions},
            Limits{.least = 0,
                   .refusal = "The magnitude of the RoPE scaling is {}; it must be a finite number above 0, "
                              "or 0 for YaRN's own."}},
    of_positions("position_settings.query_growth", &PositionSettings::query_growth, from(0, 1000)),
    of_positions("position_settings.query_growth_length", &PositionSettings::query_growth_length,
                 from(1, large)),
    of_positions("position_settings.rope_divisors", &PositionSettings::rope_divisors, tensor(1)),
    of_positions("position_settings.rope_short_divisors", &PositionSettings::rope_short_divisors, tensor(1)),
    of_positions("position_settings.buckets", &PositionSettings::buckets, from(2, 4096)),
    of_positions("position_settings.bucket_distance", &PositionSettings::bucket_distance, from(2, large)),
    of_positions("position_settings.buckets_two_sided", &PositionSettings::buckets_two_sided),
    of_positions("position_settings.span", &PositionSettings::span,
                 from(1, max_relative_span, "The span of relative positions")),
    of_positions("position_settings.content_to_position", &PositionSettings::content_to_position),
    of_positions("position_settings.position_to_content", &PositionSettings::position_to_content));

/// Settings of the mask.
inline constexpr auto mask = rows(
    Setting{
        "mask.causal", at(&LayerSpec::masking, &Masking::causal), {Field::Masking}, {}, by_itself, always},
    Setting{
        "mask.padding", at(&LayerSpec::masking, &Masking::padding), {Field::Masking}, {}, by_itself, always},
    Setting{"mask.window.left",
            at(&LayerSpec::masking, &Masking::window, &Window::left),
            {Field::Masking},
            from(-1, open_end, "The window's left side")},
    Setting{"mask.window.right",
            at(&LayerSpec::masking, &Masking::window, &Window::right),
            {Field::Masking},
            from(-1, open_end, "The window's right side")},
    Setting{
        "mask.sparsity.kind", at(&LayerSpec::masking, &Masking::sparsity, &Sparsity::kind), {Field::Masking}},
    Setting{"mask.sparsity.stride",
            at(&LayerSpec::masking, &Masking::sparsity, &Sparsity::stride),
            {Field::Masking},
            from(1, large, "The stride of the mask")},
    Setting{"mask.sparsity.block",
            at(&LayerSpec::masking, &Masking::sparsity, &Sparsity::block),
            {Field::Masking},
            from(1, large, "The block length of the mask")},
    Setting{"mask.sparsity.globals",
            at(&LayerSpec::masking, &Masking::sparsity, &Sparsity::globals),
            {Field::Masking},
            from(0, large, "The number of global tokens")},
    Setting{"mask.sparsity.lsh_buckets",
            at(&LayerSpec::masking, &Masking::sparsity, &Sparsity::lsh_buckets),
            {Field::Masking},
            from(2, 1024, "The number of LSH buckets")},
    Setting{"mask.sparsity.lsh_rounds",
            at(&LayerSpec::masking, &Masking::sparsity, &Sparsity::lsh_rounds),
            {Field::Masking},
            from(1, 16, "The number of LSH rounds")},
    Setting{"mask.sparsity.seed",
            at(&LayerSpec::masking, &Masking::sparsity, &Sparsity::seed),
            {Field::Masking},
            any_seed},
    Setting{"mask.sparsity.grid",
            at(&LayerSpec::masking, &Masking::sparsity, &Sparsity::grid),
            {Field::Masking, Field::Positions},
            from(1, large, "The number of patches in a row")},
    Setting{"mask.sparsity.side",
            at(&LayerSpec::masking, &Masking::sparsity, &Sparsity::side),
            {Field::Masking, Field::Positions},
            from(1, large, "The side of a window")},
    Setting{"mask.sparsity.shift",
            at(&LayerSpec::masking, &Masking::sparsity, &Sparsity::shift),
            {Field::Masking},
            from(0, large, "The shift of the windows")},
    Setting{"mask.heads", at(&LayerSpec::masking, &Masking::heads), {Field::Masking}, from(0, widest)},
    Setting{"mask.additive", at(&LayerSpec::masking, &Masking::additive), {Field::Masking}, tensor(4, true)},
    Setting{"mask.hidden", at(&LayerSpec::masking, &Masking::hidden), {Field::Masking}, {}, {"hidden score"}},
    Setting{"mask.mistake", at(&LayerSpec::masking, &Masking::mistake), {Field::Masking}, {}, {"mistake"}});

/// Settings of the stages from the scores on.
inline constexpr auto scores =
    rows(Setting{"scale", at(&LayerSpec::scaling), {Field::Scaling}, {}, by_itself, always},
         Setting{"soft_cap",
                 at(&LayerSpec::soft_cap),
                 {Field::SoftCap},
                 Limits{.least = 0,
                        .refusal = "The soft-cap is {}; it must be a finite number above 0, or 0 for none."},
                 {"soft-cap", "cap {}", "no cap"}},
         Setting{"softmax", at(&LayerSpec::softmax), {Field::Softmax}, {}, {"softmax"}},
         Setting{"empty_row", at(&LayerSpec::empty_row), {Field::Softmax}, {}, {"rows without a key"}},
         Setting{"temperature",
                 at(&LayerSpec::temperature),
                 {Field::Softmax},
                 above(0, "The temperature is {}; it must be a finite number above 0."),
                 by_itself,
                 always},
         Setting{"linear", at(&LayerSpec::linear), {Field::Linear}, {}, {"attention", "linear", "softmax"}},
         Setting{"dropout.rate",
                 at(&LayerSpec::dropout, &Dropout::rate),
                 {Field::Dropout},
                 Limits{.least = 0,
                        .refusal = "The dropout rate is {}; it must be at least 0 and below 1.",
                        .below = 1}},
         Setting{"dropout.seed", at(&LayerSpec::dropout, &Dropout::seed), {Field::Dropout}, any_seed},
         Setting{"", at(&LayerSpec::interventions), {Field::Intervention}},
         Setting{"precision", at(&Document::precision), {Field::Precision}, {}, {"precision"}},
         Setting{"loss.kind", at(&Document::loss, &Loss::kind)},
         Setting{"loss.given", at(&Document::loss, &Loss::given), {}, tensor(3)});

}  // namespace settings

/// Calls visit(row) for each setting, in the order of files.
template <class Visit>
constexpr void for_each_setting(Visit&& visit) {
  settings::layer(visit);
  settings::scores(visit);
  settings::mask(visit);
}

}  // namespace attnscope
