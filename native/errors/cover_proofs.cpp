#include "errors/cover_proofs.hpp"

#include <algorithm>
#include <cstdlib>

namespace supersparse {
namespace {

using Members = const int64_t*;  // four rows

// D_f of a cover, and the literals that could make up for them.
struct Differences {
  std::vector<int64_t> D, literals;
  int64_t count = 0;  // of literals

  explicit Differences(int64_t n_features) : D(n_features), literals(n_features + 1) {}

  void fill(const Facts& facts, Members members) {
    const int64_t n = static_cast<int64_t>(D.size());
    std::fill(D.begin(), D.end(), 0);
    for (int m = 0; m < 4; m++) {
      const int64_t r = members[m];
      if (r < 0) continue;
      const int64_t sign = facts.sign[r], *x = facts.x.row(r).data;
      for (int64_t f = 0; f < n; f++) D[f] += sign * x[f];
    }
    count = 0;
    for (int64_t f = 0; f < n; f++) {  // without branches: which are 0 cannot be foreseen
      literals[count] = 2 * f + (D[f] < 0);
      count += D[f] != 0;
    }
  }
};

// How many more positive than negative members there are.
int64_t balance(const Facts& facts, Members members) {
  int64_t total = 0;
  for (int m = 0; m < 4; m++)
    if (members[m] >= 0) total += facts.sign[members[m]];
  return total;
}

class CoverWriter {
 public:
  CoverWriter(const Facts& facts, const PlaceBounds& standing, Writer& out)
      : facts_(facts), standing_(standing), out_(out), differences_(facts.points.size) {}

  // Writes the covers of a bound; false if one does not hold. Fills the line of each cover, and `load`: what the covers times
  // their multipliers have of each variable.
  bool write_all(const Combination& combination, const CoverTable& kept, std::vector<int64_t>& lines,
                 std::vector<int64_t>& load) {
    const int64_t n = combination.members.rows, n_rows = facts_.row_line.size + 1;
    std::vector<Flag> is_local(n);
    int64_t n_local = 0;
    for (int64_t k = 0; k < n; k++) {
      const Members members = combination.members.row(k).data;
      differences_.fill(facts_, members);
      is_local[k] = members[2] >= 0 || needs_bounds(members);
      add_load(members, is_local[k], combination.u[k], load);
      if (is_local[k]) {
        n_local++;
        continue;
      }
      const int64_t key = (members[0] + 1) * n_rows + members[1] + 1, place = kept_place(kept.key, key);
      if (kept.key[place] == -1) {
        kept.key[place] = key;
        kept.line[place] = out_.line;
        out_.covers++;
        if (!write(members, false, -1)) return false;
      }
      lines[k] = kept.line[place];
    }
    const int64_t last_use = out_.line + n_local;
    for (int64_t k = 0; k < n; k++) {
      if (!is_local[k]) continue;
      const Members members = combination.members.row(k).data;
      differences_.fill(facts_, members);
      lines[k] = out_.line;
      if (!write(members, true, last_use)) return false;
    }
    return true;
  }

 private:
  // Whether a cover needs the present bounds: without them, a feature in use or b could make all right.
  bool needs_bounds(Members members) const {
    if (facts_.threshold >= 0 && balance(facts_, members) != 0) return true;
    int64_t helpful = 0;
    for (int64_t t = 0; t < differences_.count; t++) {
      const int64_t literal = differences_.literals[t];
      helpful += standing_.used[literal / 2] == 1 - 2 * (literal % 2);
    }
    return helpful > 0;
  }

  // Adds u times the left side of a cover.
  void add_load(Members members, bool is_local, int64_t u, std::vector<int64_t>& load) const {
    for (int m = 0; m < 4; m++)
      if (members[m] >= 0 && std::find(members, members + m, members[m]) == members + m)
        load[facts_.first_z + members[m]] += u;
    for (int64_t t = 0; t < differences_.count; t++) {
      const int64_t literal = differences_.literals[t], v = facts_.literal[literal];
      if (v >= 0 && !(is_local && standing_.used[literal / 2] != 0)) load[v] += u;
    }
  }

  // The variable of the literal that lets a feature make up for D; -1 if there is none.
  int64_t variable_of(int64_t f, int64_t D) const { return facts_.literal[D > 0 ? 2 * f : 2 * f + 1]; }

  // Writes a cover; false, and nothing written, if its rows could all be right. With `local`, features in use are removed by
  // their present bounds, else by literals like all others.
  bool write(Members members, bool local, int64_t last_use) {
    const std::vector<int64_t>& D = differences_.D;
    const int64_t n = static_cast<int64_t>(D.size()), M = facts_.M;
    out_.reserve((4 * n + 24) * Writer::kLongestTerm);
    int64_t rows[4], times[4] = {0, 0, 0, 0}, n_rows = 0, most = 1;
    for (int m = 0; m < 4; m++) {
      if (members[m] < 0) continue;
      const int64_t k = std::find(rows, rows + n_rows, members[m]) - rows;
      if (k == n_rows) rows[n_rows++] = members[m];
      most = std::max(most, ++times[k]);
    }
    const auto is_bounded = [&](int64_t f) { return local && standing_.used[f] != 0; };
    int64_t n_coefficients = n_rows, n_terms = n_rows, right = 0;
    for (int64_t k = 0; k < n_rows; k++) right += times[k] * facts_.row_right[rows[k]];
    for (int64_t f = 0; f < n; f++)
      if (D[f] != 0 && !is_bounded(f)) most = std::max(most, -floor_over(-std::abs(D[f]) * facts_.rate[f], M));
    const int64_t over = most * M;
    for (int64_t f = 0; f < n; f++) {
      if (D[f] == 0) continue;
      n_terms++;
      if (is_bounded(f)) {
        const int64_t v = facts_.points[f];
        right -= D[f] * (D[f] > 0 ? standing_.upper[v] : standing_.lower[v]);
      } else if (variable_of(f, D[f]) >= 0) {
        n_coefficients++;
        n_terms += over != std::abs(D[f]) * facts_.rate[f];
      }
    }
    for (int64_t k = 0; k < n_rows; k++) n_terms += times[k] < most;
    const int64_t b = balance(facts_, members) * facts_.threshold_rate, threshold = facts_.threshold;
    if (b != 0) {
      n_terms++;
      right -= b * (b > 0 ? standing_.upper[threshold] : standing_.lower[threshold]);
    }
    if (right <= 0) return false;
    out_.start(false, 1);
    out_.whole(n_coefficients);
    for (int64_t k = 0; k < n_rows; k++) {
      out_.whole(facts_.first_z + rows[k]);
      out_.whole(1);
    }
    for (int64_t f = 0; f < n; f++)
      if (D[f] != 0 && !is_bounded(f) && variable_of(f, D[f]) >= 0) {
        out_.whole(variable_of(f, D[f]));
        out_.whole(1);
      }
    out_.word(" { rnd");
    out_.whole(n_terms);
    for (int64_t k = 0; k < n_rows; k++) {
      out_.term(facts_.row_line[rows[k]], times[k], over);
      if (times[k] < most) out_.term(2 * (facts_.first_z + rows[k]), over - times[k] * M, over);  // z >= 0
    }
    for (int64_t f = 0; f < n; f++) {
      if (D[f] == 0) continue;
      if (is_bounded(f)) {
        const int64_t v = facts_.points[f];
        out_.term(D[f] > 0 ? standing_.upper_line[v] : standing_.lower_line[v], -D[f], over);
        continue;
      }
      out_.term(D[f] > 0 ? facts_.up[f] : facts_.down[f], std::abs(D[f]), over);
      const int64_t variable = variable_of(f, D[f]), rest = over - std::abs(D[f]) * facts_.rate[f];
      if (variable >= 0 && rest) out_.term(2 * variable, rest, over);  // literal >= 0
    }
    if (b != 0) out_.term(b > 0 ? standing_.upper_line[threshold] : standing_.lower_line[threshold], -b, over);
    out_.end(last_use);
    return true;
  }

  const Facts& facts_;
  const PlaceBounds& standing_;
  Writer& out_;
  Differences differences_;
};

struct Term {
  int64_t line, multiplier;
};

// The rest of the objective in the rows: by blocks where no row of them has a part in the covers. `total` is what they add
// up to.
void rest_of_rows(const Facts& facts, Matrix<int64_t> members, const std::vector<int64_t>& total, std::vector<Term>& rest) {
  const int64_t n_leaves = facts.leaf_row.size;
  std::vector<Flag> touched(2 * n_leaves);
  for (int64_t t = 0; t < members.rows * members.columns; t++)
    if (members.data[t] >= 0)
      for (int64_t place = n_leaves + facts.row_leaf[members.data[t]]; place && !touched[place]; place /= 2)
        touched[place] = 1;
  int64_t stack[128] = {1};
  for (int64_t top = 1; top;) {
    const int64_t place = stack[--top];
    if (place >= n_leaves) {
      const int64_t r = facts.leaf_row[place - n_leaves];
      if (r < 0) continue;
      const int64_t v = facts.first_z + r;
      if (facts.objective[v] != total[v]) rest.push_back({2 * v, facts.objective[v] - total[v]});
    } else if (!touched[place] && facts.block[place] >= 0) {
      rest.push_back({facts.block[place], 1});
    } else {
      stack[top++] = 2 * place + 1;
      stack[top++] = 2 * place;
    }
  }
}

// Writes what covers times multipliers prove here; returns the bound of the objective.
//
// `lines` are those of the covers, `total` is what they add up to; it is changed. Without literals to drop, the line says
// objective >= best. Otherwise, with the reduced cost of each, it says Σ reduced literal <= best - 1 - bound: a better model
// pays no more.
int64_t write_bound(const Facts& facts, const PlaceBounds& standing, const Combination& combination,
                    const std::vector<int64_t>& lines, std::vector<int64_t>& total, Writer& out) {
  const auto& [members, u, allowed, cost, given_theta, dropped] = combination;
  const int64_t n = facts.points.size;
  int64_t theta = given_theta, bound = 0;
  for (int64_t k = 0; k < members.rows; k++) bound += u[k];
  if (theta < 0) {
    theta = 0;
    for (int64_t literal = 0; literal < 2 * n; literal++)
      if (allowed[literal]) theta = std::max(theta, total[facts.literal[literal]] - cost[literal]);
  }
  std::vector<int64_t> signs(n);  // multiplier of p + n <= 1
  int64_t n_terms = members.rows;
  for (int64_t f = 0; f < n; f++)
    if (allowed[2 * f] && allowed[2 * f + 1]) {
      const int64_t excess = total[facts.literal[2 * f]] - cost[2 * f] - theta;
      const int64_t other = total[facts.literal[2 * f + 1]] - cost[2 * f + 1] - theta;
      signs[f] = std::max<int64_t>(0, std::min(excess, other));
    }
  const bool pays_size = facts.size_row >= 0;
  const auto has_values = [&, cost = cost](int64_t literal) {
    return facts.literal[literal] >= 0 && facts.sum_row[literal] >= 0 && cost[literal] != 0;
  };
  for (int64_t f = 0; f < n; f++) {
    for (int64_t literal = 2 * f; literal <= 2 * f + 1; literal++) {
      const int64_t v = facts.literal[literal];
      if (v < 0) continue;
      total[v] -= signs[f] + (pays_size ? theta : 0);
      if (!has_values(literal)) continue;
      n_terms++;
      total[v] -= cost[literal];
      for (int64_t t = facts.value_start[literal]; t < facts.value_start[literal + 1]; t++)
        total[facts.value[t]] += cost[literal];
    }
    if (signs[f]) {
      n_terms++;
      bound -= signs[f];
    }
  }
  if (theta && pays_size) {
    n_terms++;
    bound -= theta * facts.size_most;
  }
  // the rest of the objective, from bounds of its variables; rows without a part in it come in blocks
  std::vector<Term> rest;
  rest_of_rows(facts, members, total, rest);
  for (int64_t literal = 0; literal < dropped.size; literal++)
    if (dropped[literal]) total[facts.literal[literal]] += dropped[literal];
  for (int64_t v = 0; v < facts.first_z; v++) {
    const int64_t missing = facts.objective[v] - total[v];
    if (missing == 0) continue;
    rest.push_back({missing > 0 ? standing.lower_line[v] : standing.upper_line[v], missing});
    bound += missing * (missing > 0 ? standing.lower[v] : standing.upper[v]);
  }
  n_terms += static_cast<int64_t>(rest.size());
  out.reserve((n_terms + 2 * n + 8) * Writer::kLongestTerm);
  const int64_t way = dropped.size ? -1 : 1;
  if (dropped.size) {
    out.start(true, facts.best - 1 - bound);
    out.whole(dropped.size - std::count(dropped.begin(), dropped.end(), 0));
    for (int64_t literal = 0; literal < dropped.size; literal++)
      if (dropped[literal]) {
        out.whole(facts.literal[literal]);
        out.whole(dropped[literal]);
      }
    out.word(" { lin");
    out.whole(n_terms + 1);
    out.term(facts.cutoff, 1, 1);
  } else {
    if (bound < facts.best) return bound;
    out.start(false, facts.best);
    out.word(" OBJ { lin");
    out.whole(n_terms);
  }
  for (int64_t k = 0; k < members.rows; k++) out.term(lines[k], way * u[k], 1);
  if (theta && pays_size) out.term(facts.size_row, -way * theta, 1);
  for (int64_t f = 0; f < n; f++) {
    if (signs[f]) out.term(facts.one_sign[f], -way * signs[f], 1);
    for (int64_t literal = 2 * f; literal <= 2 * f + 1; literal++)
      if (has_values(literal)) out.term(facts.sum_row[literal], -way * cost[literal], 1);
  }
  for (const Term& term : rest) out.term(term.line, way * term.multiplier, 1);
  out.end(-1);
  return bound;
}

}  // namespace

int64_t kept_place(Ints keys, int64_t key) {
  const int64_t mixed = static_cast<int64_t>(static_cast<uint64_t>(key) * 2654435761u);
  int64_t place = floor_mod(mixed, keys.size);
  while (keys[place] != -1 && keys[place] != key) place = place + 1 < keys.size ? place + 1 : 0;
  return place;
}

Closing close_by(const Facts& facts, const PlaceBounds& standing, const Combination& combination, const CoverTable& kept,
                 Writer& out) {
  std::vector<int64_t> lines(combination.members.rows), load(facts.objective.size);
  if (!CoverWriter(facts, standing, out).write_all(combination, kept, lines, load)) return {WRONG, 0};
  const int64_t bound = write_bound(facts, standing, combination, lines, load, out);
  return {combination.dropped.size == 0 && bound < facts.best ? WRONG : CLOSED, bound};
}

void write_dropped(const Facts& facts, const PlaceBounds& standing, int64_t line, Ints reduced, Writer& out) {
  const int64_t count = reduced.size - std::count(reduced.begin(), reduced.end(), 0);
  out.reserve(count * (count + 8) * Writer::kLongestTerm);
  for (int64_t literal = 0; literal < reduced.size; literal++) {
    if (reduced[literal] == 0) continue;
    out.start(true, 0);
    out.whole(1);
    out.whole(facts.literal[literal]);
    out.whole(1);
    out.word(" { rnd");
    out.whole(count);
    out.term(line, 1, reduced[literal]);
    for (int64_t other = 0; other < reduced.size; other++)
      if (reduced[other] != 0 && other != literal)
        out.term(standing.lower_line[facts.literal[other]], -reduced[other], reduced[literal]);
    out.end(-1);
  }
}

}  // namespace supersparse
