// The name that RocksDB's private header monitoring/statistics.h has from release 8 on.
#pragma once

#include "monitoring/statistics.h"
