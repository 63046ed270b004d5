#include "errors/ratio_boxes.hpp"
#include "kernel.hpp"

using namespace supersparse;

namespace {

// The sizes that the loops count on; the others are those of the problem.
void require_room(const ratios::PointPairs& pairs, const ratios::Ratios& given, const ratios::BoxStack& stack) {
  using namespace ratios;
  const int64_t features = pairs.difference.rows, points = pairs.weight.size, all = pairs.n_pairs + kMostGroups;
  const int64_t limits = points + 2 * features;
  const PairList& listed = stack.listed;
  const Prices& prices = stack.prices;
  require(pairs.difference.columns == all && pairs.member.rows == all && pairs.member.columns == kMembers &&
              pairs.name.size == kMostGroups && pairs.point.columns == points && pairs.exact.columns == points,
          "pairs of points do not fit together");
  require(given.value.size == given.exact.size && given.limit.columns == features, "ratios do not fit the pairs");
  require(stack.number.size == 4 && stack.low.columns == features && stack.high.rows == stack.low.rows &&
              stack.load.layers == stack.low.rows && stack.load.columns == features && stack.reach.size == all &&
              stack.key.size == all && stack.order.size == all && stack.block.columns == kBlock,
          "the stack of boxes does not fit the pairs");
  require(listed.member.rows == kMostListed && listed.difference.rows == features && listed.factor.rows == kMostPacked &&
              listed.factor.columns == features && listed.near.columns == points && prices.inverse.columns == kMostTight &&
              prices.taken.columns == kMostPacked && prices.part.columns >= 2 * features + kLanes &&
              prices.left.size >= limits + kLanes,
          "the room for groups does not fit the pairs");
}

}  // namespace

extern "C" SUPERSPARSE_API int32_t ss_run_ratio_boxes(const ratios::PointPairs* pairs, const ratios::Ratios* ratios,
                                                      const ratios::BoxStack* stack, int64_t cut, int64_t until,
                                                      int64_t* answer) {
  return guarded([&] {
    require_room(*pairs, *ratios, *stack);
    *answer = ratios::run_ratio_boxes(*pairs, *ratios, *stack, cut, until);
  });
}
