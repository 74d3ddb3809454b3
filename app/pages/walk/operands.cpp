#include "app/pages/walk/operands.hpp"

#include <algorithm>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "core/attention/positions.hpp"
#include "core/attention/run_stage.hpp"

namespace attnscope::walk {
namespace {

std::vector<Product> products(const auto& a, const auto& b) {
  std::vector<Product> all;
  for (Eigen::Index i = 0; i < a.size(); ++i)
    all.push_back({static_cast<double>(a(i)), static_cast<double>(b(i))});
  return all;
}

/// Formulas of the stages of vectors.
class Vectors {
 public:
  Vectors(const View& view, Contents& contents, float room, float size)
      : v_(view), contents_(contents), room_(room), size_(size), theme_(view.ui().theme) {}

  Formula of(Stage stage) const {
    switch (stage) {
      case Stage::Position: return positioned();
      case Stage::Memory: return plain(stage, v_.cell.key, theme_.key);
      case Stage::QueryLatent:
      case Stage::Latent: return compressed(stage);
      case Stage::Query:
      case Stage::Key:
      case Stage::Value: return given() ? listed(stage) : projected(stage);
      case Stage::NormQuery:
      case Stage::NormKey: return normed(stage);
      case Stage::RotateQuery:
      case Stage::RotateKey: return rotated(stage);
      case Stage::Mix: return mixed();
      case Stage::Concat: return concatenated();
      default: return put_out();
    }
  }

 private:
  const Trace& trace() const { return v_.result().trace; }
  bool given() const { return v_.document().input.is_given(); }
  std::string query() const { return query_label(v_.result(), v_.b, v_.cell.query); }
  std::string key() const { return key_label(v_.result(), v_.b, v_.cell.key); }

  /// "mat₃ = "
  Formula named(const std::string& label, Rgba hue, std::int64_t dimension) const {
    Formula f(size_);
    f.add(v_.ui().fitted(label, size_, Ink::Medium, v_.ui().px(120)), hue, Ink::Medium);
    f.lowered(grouped(dimension), theme_.text3);
    return f.add("  =  ", theme_.text3);
  }
  Formula& answered(Formula& f, double value, Rgba hue) const {
    return f.add("  =  ", theme_.text3).answer(operand(value), hue);
  }
  float room_after(const Formula& f) const { return room_ - f.width(v_.ui()) - v_.ui().px(110); }

  Formula positioned() const {
    const std::int64_t e = model_dimension(v_, Stage::Position),
                       row = v_.cell.query + v_.result().dimensions.past;
    const double x = static_cast<double>(trace()[Stage::Position]->matrix(v_.b)(row, e));
    const double bare = static_cast<double>(trace()[Stage::Embed]->matrix(v_.b)(row, e));
    Formula f = named(query(), theme_.query, e);
    if (v_.script.moves_of(Stage::Position) == 1 || v_.made(Stage::Position) == 1)
      return f.answer(operand(bare), theme_.query);
    f.add(operand(bare), theme_.text1).add(" + ", theme_.text3).add(operand(x - bare), theme_.text1);
    f.lowered("position", theme_.text3);
    return answered(f, x, theme_.query);
  }

  Formula plain(Stage stage, std::int64_t row, Rgba hue) const {
    const auto values = trace()[stage]->matrix(v_.b);
    if (row >= values.rows()) return no_token();
    const std::int64_t at = model_dimension(v_, stage);
    Formula f = named(key(), hue, at);
    return f.answer(operand(static_cast<double>(values(row, at))), hue);
  }

  Formula no_token() const {
    return Formula(size_)
        .add(key(), theme_.key, Ink::Medium)
        .add("  belongs to no token: it is learned, or zeros", theme_.text2);
  }

  /// A vector that was given as numbers: all its numbers, as far as they fit.
  Formula listed(Stage stage) const {
    const bool asks = stage == Stage::Query;
    const Rgba hue = asks ? theme_.query : stage == Stage::Key ? theme_.key : theme_.value;
    const auto row =
        trace()[stage]->matrix(v_.b, asks ? v_.h : v_.kv).row(asks ? v_.cell.query : v_.cell.key);
    Formula f(size_);
    f.add(std::string(info(stage).symbol), theme_.text2)
        .add("  ", hue)
        .add(asks ? query() : key(), hue, Ink::Medium);
    f.add("  =  (", theme_.text3);
    for (Eigen::Index d = 0; d < row.size(); ++d) {
      const std::string number = operand(static_cast<double>(row(d)));
      if (f.width(v_.ui()) + v_.ui().text_width(number, size_) + v_.ui().px(40) > room_) {
        f.add("…", theme_.text3);
        break;
      }
      f.add(number, hue).add(d + 1 < row.size() ? ",  " : "", theme_.text3);
    }
    return f.add(")", theme_.text3);
  }

  /// One dimension of a latent, divided by the root mean square if it is normed.
  Formula compressed(Stage stage) const {
    const bool asks = stage == Stage::QueryLatent;
    const LayerSpec& layer = v_.document().layer();
    const auto w = layer.weights[asks ? Parameter::WQueryLatent : Parameter::WLatent]->matrix();
    const auto source =
        trace()[trace()[Stage::Memory] && !asks ? Stage::Memory : Stage::AttentionNorm]->matrix(v_.b);
    const std::int64_t row = asks ? v_.cell.query + v_.result().dimensions.past : v_.cell.key;
    if (row >= source.rows()) return no_token();
    const std::int64_t d = model_dimension(v_, stage);
    const Rgba hue = asks ? theme_.query : theme_.key;
    Formula f = named(asks ? query() : key(), hue, d);
    const double result = static_cast<double>(trace()[stage]->matrix(v_.b)(row, d));
    const std::int64_t width = asks ? layer.latent.query_width : layer.latent.width;
    if (!layer.latent.normed || d >= width) {
      f.join(sum_of_products(v_.ui(), products(source.row(row), w.col(d)),
                             {theme_.text1, theme_.text2, room_after(f)}, size_));
      return answered(f, result, hue);
    }
    const Eigen::VectorXd made =
        w.leftCols(width).transpose().cast<double>() * source.row(row).transpose().cast<double>();
    const double root = std::sqrt(made.array().square().mean() + static_cast<double>(layer.latent.epsilon));
    const TensorPtr& weight = layer.weights[asks ? Parameter::QueryLatentNorm : Parameter::LatentNorm];
    Formula above(size_), below(size_);
    above.add(operand(made(d)), hue);
    below.add(fixed(root, 2), theme_.text1);
    f.over(std::move(above), std::move(below), theme_.text3);
    f.add("  · ", theme_.text3)
        .add(fixed(weight ? static_cast<double>(weight->values()[static_cast<std::size_t>(d)]) : 1.0, 2),
             theme_.text1);
    f.lowered("γ", theme_.text3);
    return answered(f, result, hue);
  }

  Formula projected(Stage stage) const {
    const Weights& w = v_.document().layer().weights;
    const bool asks = stage == Stage::Query;
    const Projection which = asks                  ? Projection::Query
                             : stage == Stage::Key ? Projection::Key
                                                   : Projection::Value;
    const TensorPtr &block = w[matrix_of(which)], &bias = w[bias_of(which)];
    const TensorPtr& own = v_.document().input.vectors().value;
    const TensorPtr& other =
        trace()[Stage::Memory] && !asks ? trace()[Stage::Memory] : trace()[Stage::AttentionNorm];
    const TensorPtr& latent = asks ? trace()[Stage::QueryLatent] : trace()[Stage::Latent];
    const TensorPtr& source = latent ? latent : stage == Stage::Value && own ? own : other;
    const Rgba hue = asks ? theme_.query : stage == Stage::Key ? theme_.key : theme_.value;
    const std::int64_t d = stage == Stage::Value ? value_dimension(v_) : head_dimension(v_);
    const std::int64_t from = asks ? v_.cell.query + v_.result().dimensions.past : v_.cell.key;
    const auto values = trace()[stage]->matrix(v_.b, asks ? v_.h : v_.kv);
    if (from >= source->matrix(v_.b).rows()) return no_token();
    Formula f = named(asks ? query() : key(), hue, d);
    const double result = static_cast<double>(values(asks ? v_.cell.query : v_.cell.key, d));
    const std::int64_t shared = stage == Stage::Key ? shared_key_width(v_.document()) : 0;
    if (d < shared) {  // the rest of the latent: the same number in every head
      const std::int64_t at = v_.document().layer().latent.width + d;
      return answered(f.add("ℓ", theme_.text2).lowered(grouped(at), theme_.text3), result, hue);
    }
    const std::int64_t column = (asks ? v_.h : v_.kv) * (values.cols() - shared) + d - shared;
    SumStyle style{theme_.text1, theme_.text2, room_after(f)};
    if (bias) style.added = static_cast<double>(bias->values()[static_cast<std::size_t>(column)]);
    // The latent's content part: as many numbers as the block has rows.
    f.join(sum_of_products(v_.ui(),
                           products(source->matrix(v_.b).row(from).leftCols(block->matrix().rows()),
                                    block->matrix().col(column)),
                           style, size_));
    return answered(f, result, hue);
  }

  /// One dimension divided by the root mean square, times its weight.
  Formula normed(Stage stage) const {
    const bool asks = stage == Stage::NormQuery;
    const Rgba hue = asks ? theme_.query : theme_.key;
    const std::int64_t row = asks ? v_.cell.query : v_.cell.key, d = head_dimension(v_);
    const auto before = trace()[asks ? Stage::Query : Stage::Key]->matrix(v_.b, asks ? v_.h : v_.kv).row(row);
    const double after = static_cast<double>(trace()[stage]->matrix(v_.b, asks ? v_.h : v_.kv)(row, d));
    Formula f = named(asks ? query() : key(), hue, d);
    if (!asks && row >= v_.result().dimensions.token_keys()) return f.answer(operand(after), hue);
    const LayerSpec& layer = v_.document().layer();
    const bool centred = layer.qk_norm.kind == QkNorm::Kind::Layer;
    const Eigen::VectorXd x = before.transpose().cast<double>();
    const double mean = centred ? x.mean() : 0;
    const double root =
        std::sqrt((x.array() - mean).square().mean() + static_cast<double>(layer.qk_norm.epsilon));
    const TensorPtr& weight = layer.weights[asks ? Parameter::QueryNorm : Parameter::KeyNorm];
    Formula above(size_), below(size_);
    above.add(operand(x(d)), hue);
    if (centred)
      above.add(mean < 0 ? " + " : " \u2212 ", theme_.text3).add(fixed(std::abs(mean), 2), theme_.text1);
    below.add(fixed(root, 2), theme_.text1);
    f.over(std::move(above), std::move(below), theme_.text3);
    f.add("  · ", theme_.text3)
        .add(fixed(weight ? static_cast<double>(weight->values()[static_cast<std::size_t>(d)]) : 1.0, 2),
             theme_.text1);
    f.lowered("γ", theme_.text3);
    return answered(f, after, hue);
  }

  /// One dimension of a pair that is rotated by an angle.
  Formula rotated(Stage stage) const {
    const bool asks = stage == Stage::RotateQuery;
    const Rgba hue = asks ? theme_.query : theme_.key;
    const std::int64_t row = asks ? v_.cell.query : v_.cell.key, d = head_dimension(v_);
    const auto before =
        trace()[asks ? Stage::NormQuery : Stage::NormKey]->matrix(v_.b, asks ? v_.h : v_.kv).row(row);
    const auto after = trace()[stage]->matrix(v_.b, asks ? v_.h : v_.kv).row(row);
    const Dimensions& size = v_.result().dimensions;
    const Rotation<float> turn =
        asks ? query_rotation<float>(v_.document(), size) : key_rotation<float>(v_.document(), size);
    const std::int64_t pairs = turn.cosine.shape()[2];
    Formula f = named(asks ? query() : key(), hue, d);
    if (d >= 2 * pairs || row >= turn.cosine.shape()[1]) {  // this dimension, or this key, is not rotated
      return f.answer(operand(static_cast<double>(after(d))), hue);
    }
    const std::int64_t pair = turn.interleaved ? d / 2 : d % pairs,
                       b = turn.cosine.shape()[0] == 1 ? 0 : v_.b;
    const bool is_first = turn.interleaved ? d % 2 == 0 : d < pairs;
    const std::int64_t partner = turn.interleaved ? d + (is_first ? 1 : -1) : d + (is_first ? pairs : -pairs);
    const double cosine = static_cast<double>(turn.cosine.matrix(b)(row, pair));
    const double sine = static_cast<double>(turn.sine.matrix(b)(row, pair));
    f.add(operand(static_cast<double>(before(d))), hue)
        .add(" · ", theme_.text3)
        .add(fixed(cosine, 2), theme_.text1);
    f.lowered("cos", theme_.text3).add(is_first ? "  \u2212  " : "  +  ", theme_.text3);
    f.add(operand(static_cast<double>(before(partner))), hue)
        .add(" · ", theme_.text3)
        .add(fixed(sine, 2), theme_.text1);
    f.lowered("sin", theme_.text3);
    return answered(f, static_cast<double>(after(d)), hue);
  }

  Formula mixed() const {
    const std::int64_t d = value_dimension(v_), keys = v_.result().dimensions.keys;
    const auto weights = matrix_of(v_.result(), Stage::Drop, v_.b, v_.h).row(v_.cell.query);
    const auto values = trace()[Stage::Value]->matrix(v_.b, v_.kv).col(d);
    const int move = v_.made(Stage::Mix), moves = v_.script.moves_of(Stage::Mix);
    const std::int64_t reached = (keys * move + moves - 1) / moves;
    std::vector<Product> seen;
    std::size_t there = 0;
    for (Eigen::Index j = 0; j < keys; ++j) {  // masked keys add nothing
      if (weights(j) == 0) continue;
      seen.push_back({static_cast<double>(weights(j)), static_cast<double>(values(j))});
      if (j < reached) ++there;
    }
    Formula f = named(query(), theme_.query, d);
    if (seen.empty()) return f.answer(operand(0), theme_.query);
    SumStyle style{theme_.text1, theme_.value, room_after(f)};
    style.reached = there;
    f.join(sum_of_products(v_.ui(), seen, style, size_));
    const float sum = move < moves ? contents_.numbers.partial_mix(v_.cell.query, d, reached)
                                   : trace()[Stage::Mix]->matrix(v_.b, v_.h)(v_.cell.query, d);
    return answered(f, static_cast<double>(sum), theme_.query);
  }

  /// A number of the mix, and its place among the concatenated heads.
  Formula concatenated() const {
    const HeadBlock block = block_of(v_);
    const std::int64_t d = value_dimension(v_);
    Formula f = named(query(), theme_.query, block.first + d);
    f.add("H", theme_.text2).lowered("head " + std::to_string(v_.h), theme_.text3);
    f.add("  " + query(), theme_.query, Ink::Medium).lowered(grouped(d), theme_.text3);
    return answered(f, static_cast<double>(trace()[Stage::Mix]->matrix(v_.b, v_.h)(v_.cell.query, d)),
                    theme_.query);
  }

  Formula put_out() const {
    const std::int64_t e = model_dimension(v_, Stage::Output);
    const double own = static_cast<double>(contents_.numbers.own_part(v_.cell.query, e));
    const double all = static_cast<double>(trace()[Stage::Output]->matrix(v_.b)(v_.cell.query, e));
    Formula f = named(query(), theme_.query, e);
    const int move = v_.made(Stage::Output), moves = v_.script.moves_of(Stage::Output);
    if (move < moves || moves == 1) {
      const auto mix = trace()[Stage::Mix]->matrix(v_.b, v_.h).row(v_.cell.query);
      const auto rows = v_.document().layer().weights[Parameter::WOutput]->matrix().col(e).segment(
          v_.h * mix.size(), mix.size());
      f.join(
          sum_of_products(v_.ui(), products(mix, rows), {theme_.text1, theme_.text2, room_after(f)}, size_));
      return answered(f, move < moves ? own : all, theme_.query);
    }
    const TensorPtr& bias = v_.document().layer().weights[Parameter::BOutput];
    const double added = bias ? static_cast<double>(bias->values()[static_cast<std::size_t>(e)]) : 0;
    f.add(operand(own), theme_.text1).lowered("this head", theme_.text3).add("  +  ", theme_.text3);
    f.add(operand(all - own - added), theme_.text1).lowered("other heads", theme_.text3);
    if (bias) f.add("  +  ", theme_.text3).add(operand(added), theme_.text1).lowered("bias", theme_.text3);
    return answered(f, all, theme_.query);
  }

  const View& v_;
  Contents& contents_;
  float room_, size_;
  const Theme& theme_;
};

}  // namespace

std::string operand(double value) {
  const double size = std::abs(value);
  if (!std::isfinite(value) || size < 1e-12) return fixed(value, size > 0 ? 2 : 0);
  if (size >= 1e5 || size < 1e-3) return tiny(value);
  return fixed(value, size < 0.1 ? 3 : 2);
}

Formula vector_formula(const View& v, Contents& contents, Stage stage, float room, float size) {
  return Vectors(v, contents, room, size).of(stage);
}

Formula formula_of_move(const View& v, Contents& contents, float room, float size) {
  const std::optional<Stage> stage = v.current();
  if (stage && is_of_block(*stage)) return block_formula(v, *stage, room, size);
  if (stage && holds_vectors(*stage)) return vector_formula(v, contents, *stage, room, size);
  return plane_formula(v, contents, stage.value_or(Stage::Embed), stage ? v.made(*stage) : 0, room, size);
}

}  // namespace attnscope::walk
