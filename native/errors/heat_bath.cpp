#include "errors/heat_bath.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/sorting.hpp"

namespace supersparse {
namespace {

constexpr int64_t kPairsPerPlace = 8;  // one step in this number, while there is heat, fills a place; the others change two
constexpr int64_t kGrid = 512;         // cells between the thresholds of a grid, at most
constexpr int64_t kSample = 128;       // rows that tell where the thresholds should lie
constexpr int64_t kReach = 30;         // of those, to either side of the known threshold
constexpr int64_t kPromising = 8;      // features whose values are tried closely
constexpr int64_t kNone = int64_t{1} << 61;

struct Trial {
  int64_t cost, at, threshold;  // index of the value, and place of the threshold
};

struct Drawn {
  int64_t feature, value, threshold;  // feature -1: the place stays empty
};

class Bath {
 public:
  Bath(const SearchData& data, Ints index, Ints scores, Ints noise, uint64_t& state, int64_t& work)
      : data_(data), index_(index), scores_(scores), noise_(noise), state_(state), work_(work),
        weight_(scores.size), cell_(scores.size), base_(kGrid), change_(kGrid),
        probed_(index.size), start_(index.size), luck_(index.size) {
    for (int64_t i = 0; i < scores.size; i++) weight_[i] = data.positive[i] - data.negative[i];
  }

  int64_t random(int64_t below) { return next_random(state_) % below; }
  int64_t noise() { return noise_[random(noise_.size)]; }
  int64_t b_of(int64_t threshold) const { return -(first_ + (threshold << shift_)); }

  // Lays thresholds around a known one, as far as a quarter of the rows to either side.
  void lay(int64_t threshold) {
    const int64_t m = scores_.size, count = std::min(kSample, m);
    int64_t some[kSample], below = 0;
    for (int64_t t = 0; t < count; t++) {
      some[t] = scores_[t * m / count];
      below += some[t] < threshold;
    }
    std::sort(some, some + count);
    int64_t low = std::min(threshold, some[std::max<int64_t>(0, std::min(below, count - 1) - kReach)]);
    int64_t high = std::max(threshold, some[std::min(count - 1, below + kReach)]);
    const int64_t margin = (high - low) / 4 + 4;
    low -= margin;
    high += margin;
    shift_ = 0;
    while ((high - low) >> shift_ >= kGrid - 2) shift_++;
    cells_ = ((high - low) >> shift_) + 2;
    first_ = low;
    std::fill(base_.begin(), base_.begin() + cells_, 0);
    for (int64_t i = 0; i < m; i++) {
      const int64_t at = place_of(scores_[i]);
      cell_[i] = static_cast<int32_t>(at);
      base_[at] += weight_[i];
    }
  }

  // Improves a feature's value in ever shorter steps.
  Trial climb(int64_t j, int64_t at) {
    const int64_t zero = data_.zero[j], sign = at > zero ? 1 : -1, count = magnitudes_of(j, sign);
    int64_t t = std::abs(at - zero), reach = 1;
    while (4 * reach <= t) reach *= 2;
    Trial best = least_at(j, at);
    while (reach > 0) {
      const int64_t known = t;
      for (int64_t u : {known - reach, known + reach}) {
        if (u < 1 || u > count) continue;
        const Trial tried = least_at(j, zero + sign * u);
        if (tried.cost < best.cost) {
          best = tried;
          t = u;
        }
      }
      if (t == known) reach /= 2;
    }
    return best;
  }

  // Draws what comes into an empty place.
  Drawn draw(int64_t unit) {
    const int64_t p = index_.size;
    const Trial empty = least_with(0, 0);
    int64_t least = empty.cost - unit * noise();
    Drawn drawn{-1, 0, empty.threshold};
    for (int64_t j = 0; j < p; j++) {
      probed_[j] = kNone;
      if (data_.zero[j] < 0 || index_[j] != data_.zero[j]) continue;
      luck_[j] = data_.value_penalty(j, index_[j]) + unit * noise();
      const Trial best = probe(j);
      start_[j] = best.at;
      if (best.cost < kNone) probed_[j] = std::min(best.cost - luck_[j], kNone);
    }
    work_ += 10 * p;
    for (int64_t k = 0; k < std::min(p, kPromising); k++) {
      const int64_t j = std::min_element(probed_.begin(), probed_.end()) - probed_.begin();
      if (probed_[j] == kNone) break;
      probed_[j] = kNone;
      const Trial best = climb(j, start_[j]);
      if (best.cost - luck_[j] < least) {
        least = best.cost - luck_[j];
        drawn = {j, best.at, best.threshold};
      }
    }
    return drawn;
  }

  // Gives a feature another of its values; returns what that adds to the penalty.
  int64_t set_value(int64_t j, int64_t at) {
    const int64_t added = data_.value_penalty(j, at) - data_.value_penalty(j, index_[j]);
    add_column(scores_, data_, j, data_.values(j, at) - data_.values(j, index_[j]));
    index_[j] = at;
    return added;
  }

  // How many features in use could be left out; the n-th of them, -1 where there are fewer.
  int64_t in_use() const {
    int64_t count = 0;
    for (int64_t j = 0; j < index_.size; j++) count += data_.zero[j] >= 0 && index_[j] != data_.zero[j];
    return count;
  }
  int64_t nth_in_use(int64_t n) const {
    for (int64_t j = 0; j < index_.size; j++)
      if (data_.zero[j] >= 0 && index_[j] != data_.zero[j] && n-- == 0) return j;
    return -1;
  }

  // The index of another value of the same sign, near ones more often; the same at the end of a set.
  int64_t random_step(int64_t j, int64_t at) {
    const int64_t zero = data_.zero[j], sign = at > zero ? 1 : -1, count = magnitudes_of(j, sign);
    int64_t reach = 1;
    while (2 * reach < count && random(2) == 0) reach *= 2;
    const int64_t length = 1 + random(reach);
    const int64_t t = std::abs(at - zero) + (random(2) == 0 ? length : -length);
    return zero + sign * std::max<int64_t>(1, std::min(count, t));
  }

 private:
  int64_t place_of(int64_t score) const {
    return std::max<int64_t>(0, std::min(cells_ - 1, ((score - first_) >> shift_) + 1));
  }

  // The least loss on the grid with column j added `value` times, counted from that of calling every row positive.
  Trial least_with(int64_t j, int64_t value) {
    const int64_t *base = base_.data();
    int64_t* change = change_.data();
    if (value != 0) {
      const int64_t *weight = weight_.data(), *entry = data_.entry.data, *scores = scores_.data;
      const int32_t *cell = cell_.data(), *row = data_.row.data;
      const int64_t first = first_, shift = shift_, last = cells_ - 1;
      const int64_t begin = data_.start[j], end = data_.start[j + 1];
      for (int64_t k = begin; k < end; k++) {
        const int64_t i = row[k], w = weight[i];
        const int64_t at = ((scores[i] + value * entry[k] - first) >> shift) + 1;
        change[cell[i]] -= w;
        change[std::max<int64_t>(0, std::min(last, at))] += w;
      }
      work_ += 2 * (end - begin);
    }
    work_ += cells_;
    Trial best{kNone, 0, 0};
    int64_t loss = 0;
    for (int64_t t = 0; t < cells_ - 1; t++) {
      loss += base[t] + change[t];
      change[t] = 0;
      if (loss < best.cost) {
        best.cost = loss;
        best.threshold = t;
      }
    }
    change[cells_ - 1] = 0;
    return best;
  }

  Trial least_at(int64_t j, int64_t at) {
    Trial found = least_with(j, data_.values(j, at));
    found.cost += data_.value_penalty(j, at);
    found.at = at;
    return found;
  }

  // Number of values of one sign; the t-th of them is at zero + sign t.
  int64_t magnitudes_of(int64_t j, int64_t sign) const {
    return sign > 0 ? data_.n_values[j] - 1 - data_.zero[j] : data_.zero[j];
  }

  // Tries a few values of a feature, small and large.
  Trial probe(int64_t j) {
    Trial best{kNone, 0, 0};
    for (int64_t sign : {-1, 1}) {
      const int64_t count = magnitudes_of(j, sign);
      for (int64_t t : {int64_t{1}, int64_t{3}, int64_t{8}, count}) {
        if (!((0 < t && t < count) || (t == count && count > 0))) continue;
        const Trial tried = least_at(j, data_.zero[j] + sign * t);
        if (tried.cost < best.cost) best = tried;
      }
    }
    return best;
  }

  const SearchData& data_;
  const Ints index_, scores_, noise_;
  uint64_t& state_;
  int64_t& work_;
  // Thresholds first_ + (t << shift_), and the rows between them; cell t lies below threshold t.
  int64_t first_ = 0, shift_ = 0, cells_ = 0;
  std::vector<int64_t> weight_;  // what calling a row negative adds to the loss
  std::vector<int32_t> cell_;    // where each row is
  std::vector<int64_t> base_;    // the weight of each cell
  std::vector<int64_t> change_;  // all 0 between two calls
  std::vector<int64_t> probed_, start_, luck_;
};

}  // namespace

int64_t heat_bath(const SearchData& data, Ints index, Ints intercept, Ints scores, Ints best_index, int64_t hot, int64_t cold,
                  int64_t steps, Ints progress, Ints noise, int64_t window, int64_t budget, uint64_t& state, int64_t& work) {
  std::vector<int64_t> jumps(2 * window + 3);
  Bath bath(data, index, scores, noise, state, work);
  rescore(data, index, scores);
  const LossAt began = best_b(scores, data, intercept[0], window, jumps);
  int64_t b = began.b, penalty = model_penalty(data, index).total, cost = began.loss + penalty, best = cost;
  intercept[1] = b;
  std::copy(index.begin(), index.end(), best_index.begin());
  const int64_t limit = work + budget;
  while (progress[0] < steps && work < limit) {
    const int64_t step = progress[0]++;
    const int64_t unit = (hot + floor_div(cold - hot, steps) * step) >> 8;
    const int64_t in_use = bath.in_use(), places = in_use + (model_penalty(data, index).size < data.max_size);
    if (places == 0 || (hot == 0 && progress[1] >= places)) {
      progress[0] = steps;
      break;
    }
    const bool of_two = hot > 0 && in_use > 1 && step % kPairsPerPlace != 0;
    const int64_t place = hot == 0 ? step % places : bath.random(of_two ? in_use : places);
    const int64_t out = bath.nth_in_use(place), before = cost, b_before = b;
    int64_t other = -1, out_before = 0, other_before = 0;
    if (out >= 0) {
      out_before = index[out];
      penalty += bath.set_value(out, data.zero[out]);
    }
    if (of_two) {
      other = bath.nth_in_use(bath.random(in_use - 1));
      other_before = index[other];
      penalty += bath.set_value(other, bath.random_step(other, other_before));
    }
    bath.lay(-b);
    Drawn drawn{};
    if (of_two) {
      const Trial found = bath.climb(out, out_before);
      drawn = {out, found.at, found.threshold};
    } else {
      drawn = bath.draw(unit);
    }
    if (drawn.feature >= 0) penalty += bath.set_value(drawn.feature, drawn.value);
    const LossAt now = best_b(scores, data, bath.b_of(drawn.threshold), window, jumps);
    b = now.b;
    work += 4 * scores.size + window;
    cost = now.loss + penalty;
    progress[1] = cost < before ? 0 : progress[1] + 1;
    if (cost < best) {
      best = cost;
      intercept[1] = b;
      std::copy(index.begin(), index.end(), best_index.begin());
    }
    int64_t luck = 0;
    if (of_two) {
      const int64_t one = bath.noise();
      luck = unit * (one - bath.noise());
    }
    if (cost - luck >= before && (of_two || hot == 0)) {  // back to what was
      if (drawn.feature >= 0) penalty += bath.set_value(drawn.feature, data.zero[drawn.feature]);
      if (other >= 0) penalty += bath.set_value(other, other_before);
      if (out >= 0) penalty += bath.set_value(out, out_before);
      cost = before;
      b = b_before;
    }
  }
  intercept[0] = b;
  return best;
}

}  // namespace supersparse
