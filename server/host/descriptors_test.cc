#include "server/host/descriptors.h"

#include <gtest/gtest.h>

namespace cairn::server {
namespace {

TEST(DescriptorsTest, ClientsAndTablesTogetherFitTheLimit) {
  for (const uint64_t limit : {225u, 256u, 400u, 1024u, 4096u, 12000u, 65536u, 1u << 20}) {
    for (const uint64_t wanted : {1u, 10u, 1000u, 10000u, 1000000u}) {
      DescriptorPlan plan;
      ASSERT_TRUE(PlanDescriptors(limit, wanted, &plan).ok()) << limit;
      EXPECT_GE(plan.clients, 1u);
      EXPECT_LE(plan.clients, wanted);
      const uint64_t tables = plan.max_open_files < 0 ? kMinTables : plan.max_open_files;
      EXPECT_GE(tables, kMinTables) << limit << " " << wanted;
      EXPECT_LE(plan.clients + tables + kReservedDescriptors, limit) << limit << " " << wanted;
    }
  }
}

TEST(DescriptorsTest, WhereThereAreManyNobodyIsTurnedAwayAndTablesStayOpen) {
  DescriptorPlan plan;
  ASSERT_TRUE(PlanDescriptors(1 << 20, 10000, &plan).ok());
  EXPECT_EQ(plan.clients, 10000u);
  EXPECT_EQ(plan.max_open_files, -1);
  ASSERT_TRUE(PlanDescriptors(65536, 10000, &plan).ok());
  EXPECT_EQ(plan.clients, 10000u);
  EXPECT_EQ(plan.max_open_files, 65536 - 10000 - 160);
}

TEST(DescriptorsTest, WhereThereAreFewBothGetLess) {
  DescriptorPlan plan;
  ASSERT_TRUE(PlanDescriptors(1024, 10000, &plan).ok());
  EXPECT_EQ(plan.clients, 648u);
  EXPECT_EQ(plan.max_open_files, 216);
  ASSERT_TRUE(PlanDescriptors(1024, 100, &plan).ok());
  EXPECT_EQ(plan.clients, 100u);
  EXPECT_EQ(plan.max_open_files, 764);
  EXPECT_TRUE(PlanDescriptors(224, 1, &plan).IsInvalidArgument());
}

}  // namespace
}  // namespace cairn::server
