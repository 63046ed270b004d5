// The loops over rows exist in three versions (baseline, AVX2, AVX-512); this says which of them runs here. Each family
// of loops has a table with one entry for each version, all of the same bits.
#pragma once

namespace supersparse {

#ifdef SUPERSPARSE_X86
constexpr int kVersions = 3;
#else
constexpr int kVersions = 1;
#endif

// The place of the version that runs, from 0: the best of this machine, unless another was chosen.
int loop_version();
const char* loop_version_name();
// Choose a version by name ("baseline", "avx2", "avx512", "best"); false where this machine lacks it.
bool choose_loop_version(const char* name);

}  // namespace supersparse
