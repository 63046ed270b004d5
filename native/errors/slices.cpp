#include "errors/slices.hpp"

#include <algorithm>
#include <atomic>

#include "errors/nodes.hpp"

namespace supersparse::errors {
namespace {

constexpr int64_t kLookEvery = 1'000'000;  // touched rows that one support is searched for without a look at other threads
constexpr int64_t kWorkPerNode = 2000;     // the cost of a node without its pairs, in touched rows

int64_t read(int64_t& shared) { return std::atomic_ref<int64_t>(shared).load(std::memory_order_relaxed); }

// A node taken from the stack.
struct Node {
  std::vector<int64_t> names;  // of the literals, with places for more
  int64_t size;
  std::vector<Flag> flags;  // which literals it may add

  Node(const SliceState& state, int64_t part) : size(state.part(part, SIZE)) {
    const Ints own = state.part.row(part).from(LITERALS);
    const Flags allowed = state.allowed.row(part);
    names.assign(own.begin(), own.end());
    flags.assign(allowed.begin(), allowed.end());
  }
  Ints literals() { return {names.data(), size}; }
  Ints literals_and(int64_t name) {
    names[size] = name;
    return {names.data(), size + 1};
  }
  Flags allowed() { return view(flags); }
};

// Whether to pack where one place is left: now and then only, where it has dropped almost nothing.
bool packing_pays(Ints number) {
  number[NODES]++;
  return number[JUDGED] < 2000 || 50 * number[DROPPED] > number[JUDGED] || number[NODES] % 16 == 0;
}

// Drops the features whose base loss with those of the node is too large; false where none is left.
bool drop_by_cells(const TreeData& data, const SliceState& state, Ints literals, Flags allowed, int64_t tie) {
  const Coefficients& c = data.coefficients;
  std::vector<int64_t> features;
  int64_t fixed = c.empty_penalty + c.shift;
  for (int64_t name : literals) {
    features.push_back(feature_of(name));
    fixed += c.literal_surcharge[name];
  }
  const int64_t level = cells_of(data.rows, state, view(features));
  bool some = false;
  for (int64_t f = 0; f < allowed.size / 2; f++) {
    if (!allowed[2 * f] && !allowed[2 * f + 1]) continue;
    const int64_t loss = base_loss_with(data.rows, state, level, f);
    state.number[WORK] += data.rows.ranks.columns;
    for (int64_t name : {2 * f, 2 * f + 1}) {
      allowed[name] = allowed[name] && fixed + loss + c.literal_surcharge[name] <= tie;
      some = some || allowed[name];
    }
  }
  return some;
}

// Disallows what must follow something that is neither in the model nor allowed, and so on in turn.
void drop_orphans(const Branching& b, Ints literals, Flags allowed) {
  for (bool changed = true; changed;) {
    changed = false;
    for (int64_t name = 0; name < allowed.size; name++) {
      if (!allowed[name]) continue;
      const int64_t twin = b.twin_of[feature_of(name)], first = b.after[name];
      if ((twin >= 0 && !(allowed[2 * twin] || allowed[2 * twin + 1] || uses(literals, twin))) ||
          (first >= 0 && !(allowed[first] || has(literals, first)))) {
        allowed[name] = 0;
        changed = true;
      }
    }
  }
}

// Whether the model has what must be used before a literal: see `engine/exact/literals.py`.
bool may_enter(const Branching& b, Ints literals, int64_t name) {
  const int64_t twin = b.twin_of[feature_of(name)], first = b.after[name];
  return (twin < 0 || uses(literals, twin)) && (first < 0 || has(literals, first));
}

bool is_forced(const Branching& b, int64_t feature) {
  return std::find(b.forced.begin(), b.forced.end(), feature) != b.forced.end();
}

// The most loaded literal, of a forced feature where one is missing; -1 if none can be used. Of several without capacity
// left, the one that has refused most.
int64_t branching_literal(const Branching& b, Ints literals, Flags allowed, Ints load, Ints refused) {
  int64_t missing = -1, chosen = -1;
  for (int64_t f : b.forced) {
    if (missing < 0 && !uses(literals, f)) missing = f;
  }
  for (int64_t name = 0; name < allowed.size; name++) {
    const bool is_more = chosen < 0 || load[name] > load[chosen] ||
                         (load[name] == load[chosen] && refused[name] > refused[chosen]);
    if (allowed[name] && is_more && (missing < 0 || missing == feature_of(name)) && may_enter(b, literals, name)) {
      chosen = name;
    }
  }
  return chosen;
}

// Puts a part on top.
void push(const SliceState& state, Kind kind, int64_t bound, int64_t theta, Ints literals) {
  const Ints part = state.part.row(state.number[TOP]++);
  part[KIND] = kind;
  part[BOUND] = bound;
  part[THETA] = theta;
  part[SIZE] = literals.size;
  part[PHASE] = 0;
  std::copy(literals.begin(), literals.end(), part.from(LITERALS).begin());
}

void push_node(const SliceState& state, int64_t bound, int64_t theta, Ints literals, Flags allowed) {
  std::copy(allowed.begin(), allowed.end(), state.allowed.row(state.number[TOP]).begin());
  push(state, NODE, bound, theta, literals);
}

// One support for each allowed literal, where one place is left.
void push_supports(const Branching& b, const SliceState& state, Node& node, Ints by_literal) {
  for (int64_t name = by_literal.size - 1; name >= 0; name--) {
    if (!node.flags[name] || !may_enter(b, node.literals(), name)) continue;
    const Ints literals = node.literals_and(name);
    if (may_stop(b, literals)) push(state, SUPPORT, by_literal[name], 0, literals);
  }
}

// A literal out, or in, which comes first; a forced feature that is out needs the other sign.
void split(const Branching& b, const SliceState& state, Node& node, int64_t name, int64_t bound, int64_t with_literal,
           int64_t theta) {
  if (!is_forced(b, feature_of(name)) || node.flags[name ^ 1]) {
    std::vector<Flag> without = node.flags;
    without[name] = 0;
    drop_orphans(b, node.literals(), view(without));
    push_node(state, bound, theta, node.literals(), view(without));
  }
  node.flags[name] = node.flags[name ^ 1] = 0;
  const Ints literals = node.literals_and(name);
  push_node(state, with_literal, -theta, literals, node.allowed());
  if (may_stop(b, literals)) push(state, SUPPORT, with_literal, 0, literals);
}

// Takes the node on top, bounds it, and puts its parts in its place.
void expand(const TreeData& data, const SliceState& state, int64_t part, int64_t tie) {
  const Branching& b = data.branching;
  const Ints number = state.number;
  number[TOP] = part;
  const int64_t room = b.max_features - state.part(part, SIZE);
  if (room <= 0) return;
  Node node(state, part);
  const Ints literals = node.literals();
  const Flags allowed = node.allowed();
  const bool is_limited = b.limit_most.size > 0 || b.limit_side.rows > 0;
  if (is_limited && !keep_possible(b, literals, allowed, room)) return;
  int64_t fixed = b.fixed_cost, bound = state.part(part, BOUND), theta = state.part(part, THETA);
  for (int64_t name : literals) fixed += b.literal_penalty[name];
  std::vector<int64_t> load(allowed.size), refused(allowed.size), by_literal(allowed.size, bound);
  number[WORK] += kWorkPerNode;
  if (room == 1 && !drop_by_cells(data, state, literals, allowed, tie)) return;
  if (room > 1 || packing_pays(number)) {
    const int64_t level = pairs_of(data.pairs, state, literals), n = state.level(PAIR_COUNT, level);
    const Packed packed = pack_node(data.pairs, state.pair.row(level).slice(0, n), allowed, b.literal_penalty, room, theta,
                                    tie - fixed, view(load), view(refused), view(by_literal));
    theta = packed.theta;
    number[WORK] += n * (4 + 4 * packed.tried);
    bound = std::max(bound, fixed + packed.bound);
    int64_t judged = 0, dropped = 0;
    for (int64_t name = 0; name < allowed.size; name++) {
      by_literal[name] = std::max(bound, fixed + by_literal[name]);
      if (!allowed[name]) continue;
      judged++;
      allowed[name] = by_literal[name] <= tie;
      dropped += !allowed[name];
    }
    if (room == 1) {
      number[JUDGED] += judged;
      number[DROPPED] += dropped;
    }
    if (bound > tie) return;
  }
  drop_orphans(b, literals, allowed);
  if (room == 1) {
    push_supports(b, state, node, view(by_literal));
    return;
  }
  const int64_t name = branching_literal(b, literals, allowed, view(load), view(refused));
  if (name >= 0) split(b, state, node, name, bound, by_literal[name], theta);
}

}  // namespace

Result run_slice(const TreeData& data, const SliceState& state, Ints shared, const Cuts& cuts, int64_t until,
                 int64_t least) {
  const Ints number = state.number;
  while (number[TOP] > 0) {
    if (read(shared[0]) < cuts.tie) return OUTDATED;
    if (number[WORK] >= until) return PAUSED;
    if (read(shared[1]) > 0 && number[WORK] >= least && (number[TOP] > 1 || number[BOX_TOP] > 1)) return PAUSED;
    const int64_t part = number[TOP] - 1;
    if (state.part(part, BOUND) > cuts.tie) {
      number[BOX_TOP] = 0;
      number[TOP] = part;
    } else if (state.part(part, KIND) == SUPPORT) {
      const int64_t stop = least >= until ? until : std::min(until, std::max(least, number[WORK] + kLookEvery));
      const Result result = search_support(data, state, part, cuts, stop);
      if (result == PAUSED) continue;
      if (result != DONE) return result;
      number[TOP] = part;
    } else {
      if (part + state.allowed.columns + 8 > state.part.rows) return CROWDED;
      expand(data, state, part, cuts.tie);
    }
  }
  return DONE;
}

}  // namespace supersparse::errors
