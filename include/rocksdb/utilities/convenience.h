// An older name of rocksdb/convenience.h.
#pragma once

#include "rocksdb/convenience.h"
