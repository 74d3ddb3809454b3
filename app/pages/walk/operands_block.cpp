// app/pages/walk: the formula of a move of the block around attention, with the operands of one dimension of
// the chosen query's row.
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/pages/walk/operands.hpp"
#include "core/document/enum_names.hpp"

namespace attnscope::walk {
namespace {

class BlockOperands {
 public:
  BlockOperands(const View& view, Stage stage, float room, float size)
      : v_(view),
        stage_(stage),
        room_(room),
        size_(size),
        theme_(view.ui().theme),
        block_(view.document().layer().block),
        dimension_(model_dimension(view, stage)) {}

  Formula all() const {
    Formula f(size_);
    f.add(v_.ui().fitted(query_label(v_.result(), v_.b, v_.cell.query), size_, Ink::Medium, v_.ui().px(120)),
          theme_.query, Ink::Medium);
    f.lowered(grouped(dimension_), theme_.text3).add("  =  ", theme_.text3);
    add_operands(f);
    return f.add("  =  ", theme_.text3).answer(operand(at(stage_)), theme_.query);
  }

 private:
  /// The row of the chosen query in a stage of tokens or of queries.
  auto row(Stage stage) const {
    const auto all = v_.result().trace[stage]->matrix(v_.b);
    return all.row(all.rows() - v_.result().dimensions.queries + v_.cell.query);
  }
  double at(Stage stage) const { return static_cast<double>(row(stage)(dimension_)); }
  double number(Parameter which, double otherwise) const {
    const TensorPtr& tensor = v_.document().layer().weights[which];
    return tensor ? static_cast<double>(tensor->values()[static_cast<std::size_t>(dimension_)]) : otherwise;
  }

  void add_operands(Formula& f) const {
    switch (stage_) {
      case Stage::Residual: return add_sum(f, Stage::Position, "x", Stage::OutputNorm, "attention");
      case Stage::MlpResidual: return add_sum(f, Stage::StreamNorm, "residual", Stage::MlpOutputNorm, "MLP");
      case Stage::Gate: return add_product(f, Stage::MlpNorm, Parameter::WGate, Parameter::BGate);
      case Stage::Up: return add_product(f, Stage::MlpNorm, Parameter::WUp, Parameter::BUp);
      case Stage::Down: return add_product(f, Stage::Activation, Parameter::WDown, Parameter::BDown);
      case Stage::Activation: return add_activation(f);
      default: return add_norm(f);
    }
  }

  void add_sum(Formula& f, Stage a, std::string_view a_name, Stage b, std::string_view b_name) const {
    f.add(operand(at(a)), theme_.text1).lowered(a_name, theme_.text3).add("  +  ", theme_.text3);
    f.add(operand(at(b)), theme_.text1).lowered(b_name, theme_.text3);
  }

  void add_product(Formula& f, Stage from, Parameter weight, Parameter bias) const {
    const auto x = row(from);
    const auto w = v_.document().layer().weights[weight]->matrix().col(dimension_);
    std::vector<Product> products;
    for (Eigen::Index i = 0; i < x.size(); ++i)
      products.push_back({static_cast<double>(x(i)), static_cast<double>(w(i))});
    SumStyle style{theme_.text1, theme_.text2, room_ - f.width(v_.ui()) - v_.ui().px(110)};
    style.added = number(bias, 0);
    f.join(sum_of_products(v_.ui(), products, style, size_));
  }

  void add_activation(Formula& f) const {
    const double inside = at(block_.gated ? Stage::Gate : Stage::Up);
    f.add(own(std::string(enum_name(block_.activation).label) + "("), theme_.text3)
        .add(operand(inside), theme_.text1)
        .add(")", theme_.text3);
    if (block_.gated) f.add("  ·  ", theme_.text3).add(operand(at(Stage::Up)), theme_.text1);
  }

  /// The input of the norm that the stage is.
  Stage normed() const {
    switch (stage_) {
      case Stage::OutputNorm: return Stage::Output;
      case Stage::StreamNorm: return Stage::Residual;
      case Stage::MlpNorm: return block_.kind == Arrangement::Parallel ? Stage::Position : Stage::StreamNorm;
      case Stage::MlpOutputNorm: return Stage::Down;
      case Stage::BlockOutput: return Stage::MlpResidual;
      default: return Stage::Position;
    }
  }
  void add_norm(Formula& f) const {
    const auto norm = norm_at(block_, stage_);
    if (!norm) {
      f.add(operand(at(normed())), theme_.text1);
      return;
    }
    const Eigen::ArrayXd x = row(normed()).transpose().template cast<double>().array();
    const bool centred = is_centred(norm->settings.kind);
    const double mean = centred ? x.mean() : 0;
    const double root = std::sqrt((x - mean).square().mean() + norm->settings.epsilon);
    Formula above(size_), below(size_);
    above.add(operand(x(dimension_)), theme_.query);
    if (centred)
      above.add(mean < 0 ? " + " : " \u2212 ", theme_.text3).add(fixed(std::abs(mean), 2), theme_.text1);
    below.add(fixed(root, 2), theme_.text1);
    f.over(std::move(above), std::move(below), theme_.text3);
    const double stored = number(norm->weight, adds_one(norm->settings.kind) ? 0 : 1);
    f.add("  · ", theme_.text3);
    if (adds_one(norm->settings.kind)) {
      f.add("(1 + " + fixed(stored, 2) + ")", theme_.text1);
    } else {
      f.add(fixed(stored, 2), theme_.text1).lowered("γ", theme_.text3);
    }
    if (!norm->has_bias) return;
    f.add(" + ", theme_.text3).add(fixed(number(norm->bias, 0), 2), theme_.text1).lowered("β", theme_.text3);
  }

  const View& v_;
  Stage stage_;
  float room_, size_;
  const Theme& theme_;
  const BlockSettings& block_;
  std::int64_t dimension_;
};

}  // namespace

Formula block_formula(const View& v, Stage stage, float room, float size) {
  return BlockOperands(v, stage, room, size).all();
}

}  // namespace attnscope::walk
