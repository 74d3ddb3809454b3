// app/pages/walk: formulas of the stages of queries by keys.
#include <algorithm>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/kit/ui/number_words.hpp"
#include "app/pages/walk/operands.hpp"
#include "app/views/parts/cell_facts.hpp"
#include "core/attention/run_stage.hpp"

namespace attnscope::walk {
namespace {

class Planes {
 public:
  Planes(const View& view, Contents& contents, float room, float size)
      : v_(view),
        contents_(contents),
        facts_(facts_of(view.scene)),
        room_(room),
        size_(size),
        theme_(view.ui().theme) {}

  Formula of(Stage stage, int move) {
    switch (stage) {
      case Stage::Embed: return chain();
      case Stage::Score: return score();
      case Stage::Scale: return scaled();
      case Stage::Cap: return capped();
      case Stage::Bias: return biased();
      case Stage::Mask: return masked();
      case Stage::Softmax: return softmax(softmax_moves(v_.document())[static_cast<std::size_t>(move - 1)]);
      case Stage::Linear: return linear(static_cast<LinearMove>(move - 1));
      case Stage::Intervention: return intervened();
      default: return dropped();
    }
  }

 private:
  Formula plain(std::string_view text, Rgba hue) const { return Formula(size_).add(text, hue); }

  /// "mat → cat  =  "
  Formula named(bool equals = true) const {
    const Ui& ui = v_.ui();
    const auto fit = [&](const std::string& label) {
      return ui.fitted(label, size_, Ink::Medium, ui.px(110));
    };
    Formula f(size_);
    f.add(fit(query_label(v_.result(), v_.b, v_.cell.query)), theme_.query, Ink::Medium)
        .add(" → ", theme_.text3);
    f.add(fit(key_label(v_.result(), v_.b, v_.cell.key)), theme_.key, Ink::Medium);
    return equals ? f.add("  =  ", theme_.text3) : f.add("     ", theme_.text3);
  }
  Formula& answered(Formula& f, double value, int places = 2) const {
    return f.add("  =  ", theme_.text3)
        .answer(places == 2   ? operand(value)
                : places == 4 ? in_full(value)
                              : fixed(value, places),
                theme_.query);
  }
  float room_after(const Formula& f) const { return room_ - f.width(v_.ui()) - v_.ui().px(120); }

  /// The cell's numbers through all stages in one line, as many as fit.
  Formula chain() {
    Formula f = named(false);
    for (const Step& step : v_.script.steps()) {
      if (!holds_scores_or_weights(step.stage)) continue;
      const bool weights = holds_weights(step.stage);
      const double value =
          static_cast<double>(matrix_of(v_.result(), step.stage, v_.b, v_.h)(v_.cell.query, v_.cell.key));
      Formula next(size_);
      if (step.stage != Stage::Score && step.stage != Stage::Linear) next.add("   →   ", theme_.text3);
      const bool later = step.stage == Stage::Intervention || step.stage == Stage::Drop;
      const PlaneWords w = words(v_.document(), step.stage);
      next.add(std::string(later ? info(step.stage).name : w.short_name) + "  ", theme_.text3);
      if (weights) next.answer(value < 5e-5 ? tiny(value) : fixed(value, 4), theme_.query);
      if (!weights) next.add(operand(value), theme_.text1, Ink::Medium);
      if (f.width(v_.ui()) + next.width(v_.ui()) > room_) break;
      f.join(next);
    }
    return f;
  }

  Formula score() {
    const Trace& trace = v_.result().trace;
    const auto q = trace[Stage::RotateQuery]->matrix(v_.b, v_.h).row(v_.cell.query);
    const auto k = trace[Stage::RotateKey]->matrix(v_.b, v_.kv).row(v_.cell.key);
    std::vector<Product> products;
    for (Eigen::Index d = 0; d < q.size(); ++d)
      products.push_back({static_cast<double>(q(d)), static_cast<double>(k(d))});
    Formula f = named();
    f.join(sum_of_products(v_.ui(), products, {theme_.query, theme_.key, room_after(f)}, size_));
    return answered(f, facts_.score);
  }

  Formula scaled() {
    const Scaling& scaling = v_.document().layer().scaling;
    const std::int64_t d_k = scale_width(v_.document(), v_.result().dimensions.d_k);
    Formula f = named().add(operand(facts_.score), theme_.text1);
    if (scaling.kind == Scaling::Kind::InverseSqrtDk) {
      f.add("  ÷  √" + std::to_string(d_k), theme_.text1).add("  =  ", theme_.text3);
      f.add(operand(facts_.score), theme_.text1).add("  ÷  ", theme_.text3);
      f.add(fixed(std::sqrt(static_cast<double>(d_k)), 2), theme_.text1);
    } else {
      f.add("  ×  ", theme_.text3).add(operand(scale_factor(scaling, d_k)), theme_.text1);
    }
    return answered(f, facts_.scaled);
  }

  Formula capped() {
    const std::string c = operand(static_cast<double>(v_.document().layer().soft_cap));
    Formula f = named().add(c + " · tanh(", theme_.text2).add(operand(facts_.scaled), theme_.text1);
    f.add(" / " + c + ")", theme_.text2);
    return answered(f, facts_.capped);
  }

  Formula biased() {
    const Positions kind = v_.document().layer().positions;
    if (!is_distance_bias(kind))
      return answered(named().add(bias_formula(v_.result(), facts_), theme_.text2), facts_.bias);
    const std::int64_t distance = v_.cell.key - position_of(v_.result(), v_.b, v_.cell.query);
    Formula f = named().add("b", theme_.text2).lowered("head " + std::to_string(v_.h), theme_.text3);
    f.add("(" + counted(distance, "token", "tokens") + ")", theme_.text2);
    return answered(f, facts_.bias);
  }

  Formula masked() {
    Formula f = named().add(operand(facts_.capped), theme_.text1);
    if (v_.result().trace[Stage::Bias])
      f.add("  +  ", theme_.text3).add(operand(facts_.bias), theme_.text1).lowered("bias", theme_.text3);
    const bool hides = facts_.masked && !v_.scene.stats.rule().after_softmax();
    const double added = facts_.hidden - facts_.capped - facts_.bias;
    f.add("  +  ", theme_.text3);
    if (hides) {
      f.add(operand(v_.scene.stats.rule().hidden_value()), theme_.text1).lowered("hidden", theme_.text3);
    } else {
      f.add(operand(std::abs(added) < 1e-5 ? 0 : added), theme_.text1);
      f.lowered(facts_.masked ? "hidden later" : "allowed", theme_.text3);
    }
    return answered(f, facts_.hidden);
  }

  double tau() const { return static_cast<double>(v_.document().layer().temperature); }
  double shifted(double x) const { return (x - facts_.largest) / tau(); }

  /// e^(x - max) with its exponent written out.
  Formula power(double x, Rgba hue, bool written_out) const {
    Formula f(size_);
    if (x == -INFINITY) return f.add("0", hue);
    f.add("e", hue);
    if (!written_out) return f.raised(operand(shifted(x)), hue);
    std::string exponent = operand(x);
    if (facts_.largest != 0)
      exponent += (facts_.largest < 0 ? " + " : " \u2212 ") + operand(std::abs(facts_.largest));
    if (tau() != 1)
      exponent =
          facts_.largest != 0 ? "(" + exponent + ") / " + operand(tau()) : exponent + " / " + operand(tau());
    return f.raised(exponent, hue);
  }

  /// Σ e^(x - max) of the row: the chosen key's term is emphasised; terms that do not fit are counted.
  Formula sum_of_powers(float room) const {
    const auto row = matrix_of(v_.result(), Stage::Mask, v_.b, v_.h).row(v_.cell.query);
    Formula sum(size_);
    std::int64_t left = 0;
    const float kept = v_.ui().px(has_sinks(v_.document().layer()) ? 170 : 90);
    for (Eigen::Index j = 0; j < row.size(); ++j) {
      if (row(j) == -INFINITY) continue;
      Formula term(size_);
      if (!sum.empty()) term.add("  +  ", theme_.text3);
      term.join(power(static_cast<double>(row(j)), j == v_.cell.key ? theme_.text1 : theme_.text3, false));
      if (left > 0 || sum.width(v_.ui()) + term.width(v_.ui()) + kept > room) {
        ++left;
      } else {
        sum.join(term);
      }
    }
    if (left > 0) sum.add("  +  " + grouped(left) + " more", theme_.text3);
    if (const float sink = sink_logit(v_.document().layer(), v_.h); sink != -INFINITY) {
      if (!sum.empty()) sum.add("  +  ", theme_.text3);
      sum.join(power(static_cast<double>(sink), theme_.text3, false)).lowered("sink", theme_.text3);
    }
    if (sum.empty()) sum.add("0", theme_.text3);
    return sum;
  }

  Formula softmax(SoftmaxMove move) {
    const double x = facts_.hidden, numerator = facts_.exponential;
    const bool unmasked = v_.document().layer().masking.mistake == MaskMistake::AfterSoftmax;
    const double share = unmasked ? numerator / facts_.sum : facts_.softmax;
    Formula f = named();
    switch (move) {
      case SoftmaxMove::Shift:
        f.add(tau() != 1 && facts_.largest != 0 ? "(" : "", theme_.text2).add(operand(x), theme_.text1);
        if (facts_.largest != 0 || v_.document().layer().softmax == SoftmaxKind::Stable) {
          f.add("  \u2212  ", theme_.text3)
              .add(operand(facts_.largest), theme_.text1)
              .lowered("max", theme_.text3);
        }
        if (tau() != 1)
          f.add(facts_.largest != 0 ? ")  /  " : "  /  ", theme_.text2)
              .add(operand(tau()), theme_.text1)
              .lowered("τ", theme_.text3);
        return answered(f, facts_.shifted);
      case SoftmaxMove::Exponential: return answered(f.join(power(x, theme_.text1, true)), numerator, 3);
      case SoftmaxMove::Sum: {
        Formula sum(size_);
        sum.add("Σ ", theme_.text2)
            .add(query_label(v_.result(), v_.b, v_.cell.query), theme_.query, Ink::Medium);
        sum.add("  =  ", theme_.text3).join(sum_of_powers(room_ - sum.width(v_.ui()) - v_.ui().px(120)));
        return answered(sum, facts_.sum, 3);
      }
      case SoftmaxMove::Divide: {
        const float room = room_ - f.width(v_.ui()) - v_.ui().px(300);
        f.over(power(x, theme_.text1, true), sum_of_powers(room), theme_.text2).add("  =  ", theme_.text3);
        f.add(operand(numerator) + "  /  " + operand(facts_.sum), theme_.text1);
        return answered(f, share, 4);
      }
      case SoftmaxMove::Hide: break;
    }
    f.add(in_full(numerator / facts_.sum), theme_.text1).add("  ×  ", theme_.text3);
    f.add(facts_.masked ? "0" : "1", theme_.text1)
        .lowered(facts_.masked ? "hidden" : "allowed", theme_.text3);
    return answered(f, facts_.softmax, 4);
  }

  Formula linear(LinearMove move) {
    const double product = static_cast<double>(contents_.numbers.product(v_.cell.query, v_.cell.key));
    const double sum = contents_.numbers.linear_sum(v_.cell.query);
    Formula f = named();
    switch (move) {
      case LinearMove::Product: {
        const auto q = contents_.numbers.feature(Stage::Query, v_.cell.query);
        const auto k = contents_.numbers.feature(Stage::Key, v_.cell.key);
        std::vector<Product> products;
        for (std::size_t d = 0; d < q.size(); ++d)
          products.push_back({static_cast<double>(q[d]), static_cast<double>(k[d])});
        f.join(sum_of_products(v_.ui(), products, {theme_.query, theme_.key, room_after(f)}, size_));
        return answered(f, product);
      }
      case LinearMove::Hide:
        f.add(operand(product), theme_.text1)
            .add("  ×  ", theme_.text3)
            .add(facts_.masked ? "0" : "1", theme_.text1);
        f.lowered(facts_.masked ? "hidden" : "allowed", theme_.text3);
        return answered(f, facts_.masked ? 0 : product);
      case LinearMove::Sum: return row_sum(sum);
      case LinearMove::Divide: break;
    }
    f.over(plain(operand(facts_.masked ? 0 : product), theme_.text1), plain(operand(sum), theme_.text3),
           theme_.text2);
    const double weight =
        static_cast<double>(matrix_of(v_.result(), Stage::Linear, v_.b, v_.h)(v_.cell.query, v_.cell.key));
    return answered(f, weight, 4);
  }

  Formula row_sum(double sum) {
    Formula f(size_);
    f.add("Σ ", theme_.text2).add(query_label(v_.result(), v_.b, v_.cell.query), theme_.query, Ink::Medium);
    f.add("  =  ", theme_.text3);
    std::int64_t left = 0;
    bool first = true;
    for (std::int64_t j = 0; j < v_.result().dimensions.keys; ++j) {
      if (!contents_.numbers.sees(v_.cell.query, j)) continue;
      Formula term(size_);
      if (!first) term.add("  +  ", theme_.text3);
      term.add(operand(static_cast<double>(contents_.numbers.share_of_sum(v_.cell.query, j))),
               j == v_.cell.key ? theme_.text1 : theme_.text3);
      if (left > 0 || f.width(v_.ui()) + term.width(v_.ui()) > room_ - v_.ui().px(220)) {
        ++left;
      } else {
        f.join(term);
        first = false;
      }
    }
    if (left > 0) f.add("  +  " + grouped(left) + " more", theme_.text3);
    return answered(f, sum);
  }

  Formula intervened() {
    const Stage own = v_.document().layer().linear ? Stage::Linear : Stage::Softmax;
    const auto at = [&](Stage stage) {
      return static_cast<double>(matrix_of(v_.result(), stage, v_.b, v_.h)(v_.cell.query, v_.cell.key));
    };
    Formula f = named(false).add(in_full(at(own)), theme_.text2).add("   →   ", theme_.text3);
    return f.answer(in_full(at(Stage::Intervention)), theme_.query);
  }

  Formula dropped() {
    Formula f = named().add(in_full(facts_.weight), theme_.text1).add("  ×  ", theme_.text3);
    const double rate = static_cast<double>(v_.document().layer().dropout.rate);
    if (facts_.mixed == 0 && facts_.weight != 0) {
      f.add("0", theme_.text1).lowered("dropped", theme_.text3);
    } else {
      f.over(plain("1", theme_.text1), plain("1 \u2212 " + fixed(rate, 2), theme_.text1), theme_.text2);
    }
    return answered(f, facts_.mixed, 4);
  }

  const View& v_;
  Contents& contents_;
  CellFacts facts_;
  float room_, size_;
  const Theme& theme_;
};

}  // namespace

Formula plane_formula(const View& v, Contents& contents, Stage stage, int move, float room, float size) {
  return Planes(v, contents, room, size).of(stage, move);
}

}  // namespace attnscope::walk
