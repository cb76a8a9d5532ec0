// The options with which a simulated world opens its database for a life.

#ifndef CAIRN_SIM_LIFE_OPTIONS_H_
#define CAIRN_SIM_LIFE_OPTIONS_H_

#include <memory>

#include "base/namespace.h"
#include "rocksdb/cache.h"
#include "rocksdb/env.h"
#include "rocksdb/options.h"
#include "sim/plan.h"

namespace cairn::sim {

// Where logs are of a plan that has them elsewhere.
inline constexpr char kLogs[] = "/logs";
// Where tables are of a plan that has them elsewhere.
inline constexpr const char* kTables[] = {"/newer tables", "/older tables"};

// Where the persistent cache is.
inline constexpr char kFastDisk[] = "/fast";

// With a block cache of its own, *cache: one that another run has filled would change what happens.
// `begins_life`: it is opened after a clean close, or for the first time.
rocksdb::Options OptionsOfLife(const Plan& plan, const LifePlan& life, rocksdb::Env* env,
                               bool begins_life, std::shared_ptr<rocksdb::Cache>* cache);

}  // namespace cairn::sim

#endif  // CAIRN_SIM_LIFE_OPTIONS_H_
