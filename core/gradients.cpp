#include "core/gradients.hpp"

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "core/mask.hpp"
#include "core/stages/blocks.hpp"
#include "core/stages/dropout.hpp"
#include "core/stages/linear.hpp"
#include "core/stages/positions.hpp"
#include "core/stages/precision.hpp"
#include "core/stages/run_stage.hpp"
#include "core/stages/softmax.hpp"

namespace attnscope {

namespace {

/// The backward pass of one Document, from the loss to the numbers it began with.
template <class T>
class BackwardPass {
 public:
  using Values = TensorOf<T>;
  using Ptr = TensorPtrOf<T>;
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  BackwardPass(const Work& work, const Document& document, const Sources<T>& sources, const TraceOf<T>& trace)
      : work_(work),
        document_(document),
        from_(sources),
        trace_(trace),
        size_(check(document)),
        rule_(document, trace) {}

  GradientsOf<T> run() {
    differentiate_loss();
    const Values mixed = through_output();
    through_attention(mixed);
    if (is_rotary(document_.positions) && !document_.linear) turn_back();
    if (!document_.input.given) through_projections();
    return std::move(result_);
  }

 private:
  static Ptr shared(Values&& tensor) { return std::make_shared<const Values>(std::move(tensor)); }
  const Values& stage(Stage which) const { return *trace_[which]; }
  Ptr block(const Ptr& tensor) const { return stored(document_.precision, tensor); }

  // 1. Σ Y·G: dY = G. mean (Y - G)²: dY = 2 (Y - G) / count.
  void differentiate_loss() {
    const bool whole = static_cast<bool>(trace_[Stage::Output]);
    const Values& y = stage(whole ? Stage::Output : Stage::Concat);
    const auto count = static_cast<std::size_t>(y.size());
    Values gradient(y.shape());
    double loss = 0;
    if (document_.loss.kind == Loss::Kind::Sum) {
      for (std::size_t i = 0; i < count; ++i) {
        gradient.values()[i] = from_.loss ? from_.loss->values()[i] : T{1};
        loss += static_cast<double>(y.values()[i]) * static_cast<double>(gradient.values()[i]);
      }
    } else {
      const Values target = target_of(y.shape());
      for (std::size_t i = 0; i < count; ++i) {
        const T off = y.values()[i] - target.values()[i];
        gradient.values()[i] = T{2} * off / static_cast<T>(count);
        loss += static_cast<double>(off) * static_cast<double>(off) / static_cast<double>(count);
      }
    }
    result_.loss = loss;
    result_.output = shared(std::move(gradient));
  }

  Values target_of(const Shape& shape) const {
    if (from_.loss) return *from_.loss;
    Values target(shape);
    const Ptr& x = trace_[Stage::Position];
    if (!x) return target;
    for (std::int64_t b = 0; b < size_.batch; ++b) target.matrix(b) = x->matrix(b).bottomRows(size_.queries);
    return target;
  }

  // 2. Y = C·W_O + b_O: dW_O = Cᵀ·dY, db_O = Σ dY, dC = dY·W_Oᵀ, cut into heads.
  Values through_output() {
    Values concatenated(stage(Stage::Concat).shape());
    if (!has_output_weights(document_)) {
      concatenated = *result_.output;
    } else {
      const Ptr w = block(from_[Parameter::WOutput]);
      for (std::int64_t b = 0; b < size_.batch; ++b)
        concatenated.matrix(b).noalias() = result_.output->matrix(b) * w->matrix().transpose();
      result_[Parameter::WOutput] = product_gradient(stage(Stage::Concat), *result_.output, *w);
      if (from_[Parameter::BOutput])
        result_[Parameter::BOutput] = row_sums(*result_.output, from_[Parameter::BOutput]->shape());
    }
    Values mixed(stage(Stage::Mix).shape());
    for (std::int64_t b = 0; b < size_.batch; ++b)
      for (std::int64_t h = 0; h < size_.heads; ++h)
        mixed.matrix(b, h) = concatenated.matrix(b).middleCols(h * size_.d_v, size_.d_v);
    return mixed;
  }

  /// dW of y = x·W: Σ_b xᵀ·dy.
  Ptr product_gradient(const Values& x, const Values& dy, const Values& w) const {
    Values gradient(w.shape());
    for (std::int64_t b = 0; b < size_.batch; ++b)
      gradient.matrix().noalias() += x.matrix(b).transpose() * dy.matrix(b);
    return shared(std::move(gradient));
  }

  Ptr row_sums(const Values& dy, const Shape& shape) const {
    Values gradient(shape);
    for (std::int64_t b = 0; b < size_.batch; ++b) gradient.matrix() += dy.matrix(b).colwise().sum();
    return shared(std::move(gradient));
  }

  // 3. H = D·V: dV = Dᵀ·dH, dD = dH·Vᵀ. Then down to Q and K: S = Q·Kᵀ, so dQ = dS·K and dK = dSᵀ·Q. The
  // query heads of a group share keys and values, so a group is one piece of work.
  void through_attention(const Values& mixed) {
    const Shape cells = stage(Stage::Score).shape();
    Values query(stage(Stage::Query).shape()), key(stage(Stage::Key).shape()),
        value(stage(Stage::Value).shape());
    Values weights(cells), masked(cells), scores(cells);
    std::optional<LinearParts> linear;
    if (document_.linear) linear.emplace(*this);
    const std::int64_t group = size_.heads / size_.kv_heads;
    const double head_ns = product_ns(size_.queries * size_.keys, 1, 4 * (size_.d_k + size_.d_v));
    work_.for_each(size_.batch * size_.kv_heads, head_ns * static_cast<double>(group), [&](std::int64_t i) {
      const std::int64_t b = i / size_.kv_heads, kv = i % size_.kv_heads;
      for (std::int64_t h = kv * group; h < (kv + 1) * group; ++h) {
        value.matrix(b, kv).noalias() += stage(Stage::Drop).matrix(b, h).transpose() * mixed.matrix(b, h);
        weights.matrix(b, h).noalias() = mixed.matrix(b, h) * stage(Stage::Value).matrix(b, kv).transpose();
        if (is_operated(document_, h)) continue;  // its scores have no say in the weights
        Matrix through = weights.matrix(b, h);
        undrop(b, h, through);
        if (linear) {
          through_linear(b, h, through, *linear);
          continue;
        }
        through_softmax(b, h, through);
        masked.matrix(b, h) = through;
        through_cap_and_scale(b, h, through);
        scores.matrix(b, h) = through;
        query.matrix(b, h).noalias() = through * stage(Stage::RotateKey).matrix(b, kv);
        key.matrix(b, kv).noalias() += through.transpose() * stage(Stage::RotateQuery).matrix(b, h);
      }
    });
    if (linear) {
      query = through_features(linear->d_query, linear->d_turned_query, linear->query_rotation, Stage::Query);
      key = through_features(linear->d_key, linear->d_turned_key, linear->key_rotation, Stage::Key);
    }
    if (from_[Parameter::RelativeBias] && document_.positions == Positions::RelativeBuckets)
      sum_buckets(masked);
    result_.query = shared(std::move(query));
    result_.key = shared(std::move(key));
    result_.value = shared(std::move(value));
    result_.weights = shared(std::move(weights));
    result_.masked = shared(std::move(masked));
    result_.scores = shared(std::move(scores));
  }

  // 4. D = A ∘ keep / (1 - rate): dA = dD ∘ keep / (1 - rate).
  void undrop(std::int64_t b, std::int64_t h, Matrix& gradient) const {
    const Dropout& dropout = document_.dropout;
    if (dropout.rate == 0) return;
    const T grown = static_cast<T>(1 / (1 - static_cast<double>(dropout.rate)));
    const std::int64_t start = (b * size_.heads + h) * size_.queries * size_.keys;
    for (std::int64_t i = 0; i < gradient.size(); ++i)
      gradient.data()[i] = keeps(dropout, start + i) ? gradient.data()[i] * grown : T{0};
  }

  std::vector<std::uint8_t> seen_by(std::int64_t b, std::int64_t h, std::int64_t query) const {
    std::vector<std::uint8_t> seen(static_cast<std::size_t>(size_.keys));
    rule_.see<T>(b, h, query, MaskRule::additive_row<T>(from_.additive, b, h, query), seen);
    return seen;
  }

  // 5. A = softmax(M / τ): dM = A ∘ (dA - Σ dA·A) / τ. What a hidden key's score was replaced with is a
  // constant; where -1e9 was added to it, the gradient passes. A row of nothing but -inf has none.
  void through_softmax(std::int64_t b, std::int64_t h, Matrix& gradient) const {
    const T temperature = static_cast<T>(document_.temperature);
    std::vector<T> before_hiding(static_cast<std::size_t>(size_.keys));
    for (std::int64_t i = 0; i < size_.queries; ++i) {
      const std::vector<std::uint8_t> seen = seen_by(b, h, i);
      auto row = gradient.row(i);
      const T* used = stage(Stage::Softmax).matrix(b, h).row(i).data();
      if (rule_.after_softmax()) {  // here it is the hidden weights that are constants, not the scores
        const T* masked = stage(Stage::Mask).matrix(b, h).row(i).data();
        softmax_row<T>(document_.softmax, {masked, seen.size()}, temperature, before_hiding);
        clear_hidden(seen, row);
        used = before_hiding.data();
      }
      const Eigen::Map<const Eigen::Matrix<T, 1, Eigen::Dynamic>> weights(used, size_.keys);
      const T mean = row.dot(weights);
      row = (weights.array() * (row.array() - mean) / temperature).eval();
      const bool passes = rule_.adds_hidden_value() && !is_empty(b, h, i);
      if (!rule_.after_softmax() && !passes) clear_hidden(seen, row);
    }
  }

  /// Stored in float16, -1e9 is -inf.
  bool is_empty(std::int64_t b, std::int64_t h, std::int64_t query) const {
    return stage(Stage::Mask).matrix(b, h).row(query).maxCoeff() == -std::numeric_limits<T>::infinity();
  }

  template <class Row>
  static void clear_hidden(const std::vector<std::uint8_t>& seen, Row& row) {
    for (std::size_t key = 0; key < seen.size(); ++key)
      if (seen[key] == 0) row(static_cast<Eigen::Index>(key)) = T{0};
  }

  // 6. M = G + constants; G = c·tanh(Z / c): dZ = dG (1 - (G/c)²); Z = s·S: dS = s·dZ.
  void through_cap_and_scale(std::int64_t b, std::int64_t h, Matrix& gradient) const {
    const T c = static_cast<T>(from_.soft_cap.value_or(static_cast<double>(document_.soft_cap)));
    if (c > 0) gradient.array() *= T{1} - (stage(Stage::Cap).matrix(b, h).array() / c).square();
    gradient *= static_cast<T>(from_.scale.value_or(scale_factor(document_.scaling, size_.d_k)));
  }

  /// φ of queries and keys, and their gradients: as they are in the denominator, and turned by rotary
  /// positions in the numerator.
  struct LinearParts {
    explicit LinearParts(const BackwardPass& pass)
        : query(linear_features<T>(pass.work_, pass.stage(Stage::Query), nullptr)),
          key(linear_features<T>(pass.work_, pass.stage(Stage::Key), nullptr)),
          turned_query(query),
          turned_key(key),
          d_query(query.shape()),
          d_key(key.shape()),
          d_turned_query(query.shape()),
          d_turned_key(key.shape()) {
      if (!is_rotary(pass.document_.positions)) return;
      query_rotation = attnscope::query_rotation<T>(pass.document_, pass.size_);
      key_rotation = attnscope::key_rotation<T>(pass.document_, pass.size_);
      turned_query = rotate(pass.work_, query, *query_rotation);
      turned_key = rotate(pass.work_, key, *key_rotation);
    }
    std::optional<Rotation<T>> query_rotation, key_rotation;
    Values query, key, turned_query, turned_key;
    Values d_query, d_key, d_turned_query, d_turned_key;
  };

  // 5'. L_ij = n_ij / z_i with n_ij = Rφ(q_i)·Rφ(k_j) and z_i = Σ_j φ(q_i)·φ(k_j) over the keys that are
  // seen: dn = dL / z, dz = -Σ_j dL·L / z.
  void through_linear(std::int64_t b, std::int64_t h, Matrix& gradient, LinearParts& parts) const {
    const std::int64_t kv = h / (size_.heads / size_.kv_heads);
    const auto weights = stage(Stage::Linear).matrix(b, h);
    Matrix below =
        parts.query.matrix(b, h) * parts.key.matrix(b, kv).transpose();  // becomes dz, cell by cell
    for (std::int64_t i = 0; i < size_.queries; ++i) {
      const std::vector<std::uint8_t> seen = seen_by(b, h, i);
      auto row = gradient.row(i);
      auto shares = below.row(i);
      clear_hidden(seen, shares);
      clear_hidden(seen, row);
      const T sum = shares.sum(), mean = row.dot(weights.row(i));
      if (sum == 0) {
        row.setZero();
        continue;
      }
      row /= sum;
      for (std::size_t key = 0; key < seen.size(); ++key)
        shares(static_cast<Eigen::Index>(key)) = seen[key] != 0 ? -mean / sum : T{0};
    }
    parts.d_turned_query.matrix(b, h).noalias() = gradient * parts.turned_key.matrix(b, kv);
    parts.d_turned_key.matrix(b, kv).noalias() += gradient.transpose() * parts.turned_query.matrix(b, h);
    parts.d_query.matrix(b, h).noalias() = below * parts.key.matrix(b, kv);
    parts.d_key.matrix(b, kv).noalias() += below.transpose() * parts.query.matrix(b, h);
  }

  // 6'. φ' = 1 above 0, e^x below. The rotation's gradient turns back.
  Values through_features(Values plain, const Values& turned, const std::optional<Rotation<T>>& rotation,
                          Stage from) const {
    const Values back = rotation ? rotate(work_, turned, *rotation, true) : turned;
    const auto x = stage(from).values(), b = back.values();
    const auto to = plain.values();
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = (to[i] + b[i]) * (x[i] > 0 ? T{1} : std::exp(x[i]));
    return plain;
  }

  // B = table[bucket(j - p)][h]: the gradients of all cells of a bucket add up.
  void sum_buckets(const Values& masked) {
    const PositionSettings& settings = document_.position_settings;
    Values table(from_[Parameter::RelativeBias]->shape());
    for (std::int64_t b = 0; b < size_.batch; ++b) {
      const std::int64_t first = query_offset(document_, size_, b);
      for (std::int64_t h = 0; h < size_.heads; ++h)
        for (std::int64_t i = 0; i < size_.queries; ++i)
          for (std::int64_t j = 0; j < size_.token_keys(); ++j)
            table.matrix()(relative_bucket(j - first - i, settings.buckets, settings.bucket_distance,
                                           settings.buckets_two_sided),
                           h) += masked.matrix(b, h)(i, j);
    }
    result_[Parameter::RelativeBias] = shared(std::move(table));
  }

  // 7. Rotations are orthogonal: their gradient turns back.
  void turn_back() {
    result_.query = shared(rotate(work_, *result_.query, query_rotation<T>(document_, size_), true));
    result_.key = shared(rotate(work_, *result_.key, key_rotation<T>(document_, size_), true));
  }

  /// What a projection y = x·W + b was made of and its gradient: the rows of x from `first_row` on became
  /// rows of y [batch][heads][n][d].
  struct Projected {
    const Ptr& x;
    const Values& dy;
    std::int64_t first_row, rows;
  };

  // 8. y = x·W + b: dW = xᵀ·dy, db = Σ dy, dx = dy·Wᵀ, added to `dx`.
  void through_projection(Projection which, const Projected& p, Values& dx) {
    const Ptr w = block(from_[matrix_of(which)]);
    const std::int64_t heads = p.dy.shape()[1], d = p.dy.shape()[3];
    Values dw(w->shape()), db(Shape{heads * d});
    work_.for_each(heads, product_ns(p.rows, w->shape()[0], d) * static_cast<double>(size_.batch),
                   [&](std::int64_t h) {
                     for (std::int64_t b = 0; b < size_.batch; ++b) {
                       const auto dy = p.dy.matrix(b, h).topRows(p.rows);
                       dw.matrix().middleCols(h * d, d).noalias() +=
                           p.x->matrix(b).middleRows(p.first_row, p.rows).transpose() * dy;
                       db.matrix().middleCols(h * d, d) += dy.colwise().sum();
                     }
                   });
    work_.for_each(size_.batch, product_ns(p.rows, w->shape()[0], heads * d), [&](std::int64_t b) {
      for (std::int64_t h = 0; h < heads; ++h)
        dx.matrix(b).middleRows(p.first_row, p.rows).noalias() +=
            p.dy.matrix(b, h).topRows(p.rows) * w->matrix().middleCols(h * d, d).transpose();
    });
    result_[matrix_of(which)] = shared(std::move(dw));
    if (from_[bias_of(which)]) result_[bias_of(which)] = shared(std::move(db));
  }

  /// The learned key or value: its row behind those of the tokens, over all sequences.
  Ptr through_extra(const Ptr& extra, const Values& dy) const {
    if (!extra) return nullptr;
    const std::int64_t heads = dy.shape()[1], d = dy.shape()[3];
    Values gradient(extra->shape());
    for (std::int64_t b = 0; b < size_.batch; ++b)
      for (std::int64_t h = 0; h < heads; ++h)
        gradient.matrix().middleCols(h * d, d) += dy.matrix(b, h).row(size_.token_keys());
    return shared(std::move(gradient));
  }

  void through_projections() {
    const Ptr& x = trace_[Stage::Position];
    const Ptr& memory = trace_[Stage::Memory];
    const Ptr& key_source = memory ? memory : x;
    const Ptr value_source = from_.value_vectors ? block(from_.value_vectors) : key_source;
    Values dx(x->shape()), dk(key_source->shape()), dv(value_source->shape());
    const std::int64_t keys = size_.token_keys();
    through_projection(Projection::Query, {x, *result_.query, size_.past, size_.queries}, dx);
    through_projection(Projection::Key, {key_source, *result_.key, 0, keys}, memory ? dk : dx);
    through_projection(Projection::Value, {value_source, *result_.value, 0, keys},
                       from_.value_vectors ? dv
                       : memory            ? dk
                                           : dx);
    result_[Parameter::ExtraKey] = through_extra(from_[Parameter::ExtraKey], *result_.key);
    result_[Parameter::ExtraValue] = through_extra(from_[Parameter::ExtraValue], *result_.value);
    result_.x = shared(std::move(dx));
    if (memory) result_.key_vectors = shared(std::move(dk));
    if (from_.value_vectors) result_.value_vectors = shared(std::move(dv));
  }

  const Work& work_;
  const Document& document_;
  const Sources<T>& from_;
  const TraceOf<T>& trace_;
  Dimensions size_;
  MaskRule rule_;
  GradientsOf<T> result_;
};

}  // namespace

template <class T>
GradientsOf<T> backward(const Work& work, const Document& document, const Sources<T>& sources,
                        const TraceOf<T>& trace) {
  return BackwardPass<T>(work, document, sources, trace).run();
}

template Gradients backward(const Work&, const Document&, const Sources<float>&, const Trace&);
template GradientsOf<double> backward(const Work&, const Document&, const Sources<double>&,
                                      const TraceOf<double>&);

}  // namespace attnscope
