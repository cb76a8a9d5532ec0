// What is printed of the analysis: counts by family, caller, level, file, type; histograms.
#pragma once

#include <cstdint>

#include "block_cache_trace_analyzer/accesses.h"

namespace block_cache_trace_analyzer {

void PrintBreak(int lines = 1);
void PrintSummary(const Accesses& accesses);
void PrintBlockSizes(const Accesses& accesses);
// `bottom`, `top`: of so many of the lowest and the highest counts, what blocks they are.
void PrintAccessCounts(const Accesses& accesses, bool users, uint32_t bottom, uint32_t top);

}  // namespace block_cache_trace_analyzer
