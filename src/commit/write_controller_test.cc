#include "commit/write_controller.h"

#include <gtest/gtest.h>

namespace cairn {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

TEST(WriteControllerTest, TokensHoldTheirEffect) {
  WriteController controller(uint64_t{16} << 20);
  EXPECT_FALSE(controller.IsStopped() || controller.NeedsDelay() ||
               controller.NeedSpeedupCompaction());
  {
    auto stop1 = controller.GetStopToken();
    auto stop2 = controller.GetStopToken();
    stop1.reset();
    EXPECT_TRUE(controller.IsStopped());
    EXPECT_TRUE(controller.NeedSpeedupCompaction());
  }
  EXPECT_FALSE(controller.IsStopped());
  auto pressure = controller.GetCompactionPressureToken();
  EXPECT_TRUE(controller.NeedSpeedupCompaction());
  EXPECT_FALSE(controller.NeedsDelay());
}

TEST(WriteControllerTest, HoldsWritersToTheRate) {
  WriteController controller(10 << 20);
  uint64_t now = 100 * kSecond;
  EXPECT_EQ(controller.GetDelayMicros(1 << 20, now), 0u) << "nothing delays";
  auto delay = controller.GetDelayToken(1 << 20);
  // Ten MiB at one MiB per second.
  const uint64_t start = now;
  for (int i = 0; i < 1000; ++i) now += controller.GetDelayMicros((10 << 20) / 1000, now) * 1000;
  EXPECT_NEAR(static_cast<double>(now - start) / kSecond, 10, 0.1);
  // Idle time earns no credit.
  now += 100 * kSecond;
  EXPECT_NEAR(static_cast<double>(controller.GetDelayMicros(1 << 20, now)), 1e6, 1e3);
  auto stop = controller.GetStopToken();
  EXPECT_EQ(controller.GetDelayMicros(1 << 20, now), 0u) << "a stop has its own wait";
}

TEST(WriteControllerTest, SavesUpShortWaits) {
  WriteController controller(1 << 30);
  auto delay = controller.GetDelayToken(1 << 20);
  EXPECT_EQ(controller.GetDelayMicros(100, kSecond), 0u);
  uint64_t micros = 0;
  for (int i = 0; i < 100 && micros == 0; ++i) micros = controller.GetDelayMicros(100, kSecond);
  EXPECT_GE(micros, 1000u);
}

TEST(WriteControllerTest, ClampsTheRate) {
  WriteController controller(1000);
  auto delay = controller.GetDelayToken(5000);
  EXPECT_EQ(controller.delayed_write_rate(), 1000u);
  controller.set_delayed_write_rate(0);
  EXPECT_EQ(controller.delayed_write_rate(), 1u);
}

TEST(WriteControllerTest, HoldsWritesOfLowPriorityBackWhileCompactionIsBehind) {
  WriteController controller(uint64_t{16} << 20);
  constexpr uint64_t kMegabyte = 1 << 20;
  EXPECT_EQ(controller.GetLowPriorityDelayMicros(kMegabyte, 1), 0u);
  const auto token = controller.GetCompactionPressureToken();
  EXPECT_EQ(controller.GetDelayMicros(kMegabyte, 1), 0u) << "others run freely";
  EXPECT_NEAR(static_cast<double>(controller.GetLowPriorityDelayMicros(kMegabyte, 1)), 1e6, 10);
  EXPECT_NEAR(static_cast<double>(controller.GetLowPriorityDelayMicros(kMegabyte, 1)), 2e6, 10);
}

}  // namespace
}  // namespace cairn
