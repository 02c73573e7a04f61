// SPDX-License-Identifier: GPL-3.0-or-later
// What an SM and the device give, as text, and the strip in a real window.
#include <gtest/gtest.h>

#include <QApplication>
#include <QFile>
#include <QLineEdit>
#include <QTest>

#include <cstring>

#include "core_ir/devices.h"
#include "views/editor/editor_view.h"
#include "views/occupancy/occupancy_view.h"

using namespace bakery;
using namespace bakery::views;

namespace {

const QString kRoot = QStringLiteral(BAKERY_SOURCE_DIR "/");

std::string source(const char* path) {
  QFile file(kRoot + QLatin1String(path));
  EXPECT_TRUE(file.open(QIODevice::ReadOnly)) << path;
  return file.readAll().toStdString();
}

std::string gauges(const std::string& text, const char* shape, const CompiledKernel* compiled = nullptr) {
  const auto analysis = analyse("test.cake", text);
  return to_text(make_gauges(*analysis, compiled, parse_shape(shape).value_or(GridShape{})));
}

const char* const kGemm = "resources/schedules/gemm_bf16_sm90a.cake";

TEST(Occupancy, GemmAsDeclared) {
  EXPECT_EQ(gauges(source(kGemm), "M=4096, N=4096, K=4096"),
            "Registers, declared: 64512 of 65536 (load 40 · mma 232 a thread) load=5120 mma=59392\n"
            "Shared memory: 224.1 KiB of 227 KiB (98.7 % of a CTA's limit)\n"
            "CTAs per SM: 1 (limited by shared memory)\n"
            "Waves and tail: 3.88 waves (512 tiles · tail 116 of 132 CTAs)\n");
}

TEST(Occupancy, CompiledRegistersAndSpills) {
  CompiledKernel compiled;
  compiled.answer.ok = true;
  compiled.registers = 160;
  compiled.spill_stores = 64;
  compiled.occupancy = {1, "registers", 233472};
  std::string text = source(kGemm);
  for (const char* regs : {", regs=40", ", regs=232"}) text.erase(text.find(regs), std::strlen(regs));
  const std::string shown = gauges(text, "M=128, N=256, K=64", &compiled);
  EXPECT_NE(shown.find("Registers, compiled: 61440 of 65536 (load 160 · mma 160 a thread) load=20480 mma=40960"), std::string::npos) << shown;
  EXPECT_NE(shown.find("CTAs per SM: 1 (limited by registers)"), std::string::npos) << shown;
  EXPECT_NE(shown.find("Spills: 64 B wrong (64 B stored, 0 B loaded)"), std::string::npos) << shown;
  EXPECT_NE(shown.find("Waves and tail: 0.01 waves (1 tile · tail 1 of 132 CTAs"), std::string::npos) << shown;
}

TEST(Occupancy, TooMuchIsWrong) {
  std::string text = source(kGemm);
  text.replace(text.find("32768)"), 6, "65536)");
  text.replace(text.find("regs=232"), 8, "regs=240");
  const std::string shown = gauges(text, "M=128, N=256, K=64");
  EXPECT_NE(shown.find("Shared memory: 256.1 KiB of 227 KiB wrong"), std::string::npos) << shown;
  EXPECT_NE(shown.find("CTAs per SM: 0 wrong (does not fit: shared memory)"), std::string::npos) << shown;
  EXPECT_NE(shown.find("Registers, declared: 66560 of 65536 wrong"), std::string::npos) << shown;
}

TEST(Occupancy, TensorMemoryAndNoTiles) {
  const std::string shown = gauges(source("tests/corpus/bugs/bad_B112_self_wait.cake"), "K=64");
  EXPECT_NE(shown.find("Tensor memory: 256 of 512 columns (of an SM"), std::string::npos) << shown;
  EXPECT_NE(shown.find("Waves and tail: 1 CTA (no tile space is declared)"), std::string::npos) << shown;
}

TEST(Occupancy, NothingAndNonsense) {
  for (const char* text : {"", "((((", "@cake.schedule()\ndef f(lm):\n    x = \n"}) EXPECT_EQ(gauges(text, ""), "") << text;
  EXPECT_NE(gauges(source(kGemm), "M=4096").find("Waves and tail: unknown (no value for N, K)"), std::string::npos);
  EXPECT_NE(gauges(source(kGemm), "M=0, N=0, K=0").find("no tiles for M=0"), std::string::npos);
  for (const char* shape : {"", "M", "M=", "M=x", "=3", "M=-1", "M=99999999999999999999", "M=1;N=2"}) EXPECT_FALSE(parse_shape(shape)) << shape;
  EXPECT_EQ(parse_shape(" M = 12 , N=3 ")->values.size(), 2u);
  for (const ReferenceDevice& device : kReferenceDevices) {
    EXPECT_GT(device.sms, 0);
    EXPECT_GT(std::strlen(device.source), 10u) << device.name;
  }
}

TEST(Occupancy, ContractsBesideTheSchedule) {
  const auto shapes = contract_shapes((kRoot + QLatin1String(kGemm)).toStdString());
  ASSERT_FALSE(shapes.empty());
  bool found = false;
  for (const GridShape& shape : shapes) found |= shape.text == "M=4096, N=4096, K=4096" && shape.origin == "gemm_bf16_4096.toml";
  EXPECT_TRUE(found);
  EXPECT_TRUE(contract_shapes("").empty());
  EXPECT_TRUE(contract_shapes("/nowhere/at/all.cake").empty());
}

struct Window {
  Theme theme;
  Document document;
  Snapshots snapshots;
  Focus focus{snapshots};
  ViewContext context{document, snapshots, focus, theme};
  QWidget window;
  EditorView* editor = new EditorView(context, &window);
  OccupancyView* view = new OccupancyView(context, &window);

  explicit Window(const char* path) {
    window.resize(1200, 800);
    editor->setGeometry(0, 0, 1200, 500);
    view->setGeometry(0, 500, 1200, 300);
    window.show();
    QApplication::setActiveWindow(&window);
    EXPECT_EQ(document.open(kRoot + QLatin1String(path)), QString());
    EXPECT_TRUE(QTest::qWaitFor([&] { return snapshots.settled(); }, 5000));
  }
  ~Window() { window.hide(); }
};

TEST(OccupancyView, RolesFocusBothWays) {
  Window w(kGemm);
  GaugeCard* registers = w.view->card("registers");
  ASSERT_NE(registers, nullptr);
  QTest::mouseMove(registers, registers->place_of("mma"));
  EXPECT_EQ(w.focus.lit().role, "mma");
  QTest::mouseClick(registers, Qt::LeftButton, {}, registers->place_of("load"));
  EXPECT_EQ(w.focus.state().role, "load");
  EXPECT_EQ(w.focus.state().origin, Origin::occupancy);
  w.focus.end_hover();
  w.focus.set(focus_on_resource(w.snapshots.shown(), "mma"));
  for (const GaugePart& part : registers->gauge().parts) EXPECT_EQ(part.lit, part.role == "mma") << part.name;
  registers->setFocus();
  QTest::keyClick(registers, Qt::Key_Right);
  EXPECT_EQ(w.focus.state().role, "mma");
  EXPECT_TRUE(registers->toolTip().contains("setmaxnreg"));
  EXPECT_TRUE(registers->accessibleDescription().contains("64512"));
}

TEST(OccupancyView, ShapesAreChosenOrTyped) {
  Window w(kGemm);
  EXPECT_GT(w.view->shapes()->count(), 3);
  EXPECT_GT(w.view->shapes()->currentIndex(), 0) << "a contract's shape where there is one";
  w.view->shapes()->setEditText(QStringLiteral("M=8192, N=8192, K=64"));
  QTest::keyClick(w.view->shapes()->lineEdit(), Qt::Key_Return);
  EXPECT_TRUE(w.view->card("grid")->gauge().note.starts_with("2048 tiles")) << w.view->card("grid")->gauge().note;
  w.view->shapes()->setCurrentIndex(0);
  EXPECT_NE(w.view->card("grid")->gauge().source.find("the shown sample"), std::string::npos) << w.view->card("grid")->gauge().source;
}

TEST(OccupancyView, CompiledNumbersComeFromTheWorker) {
  Window w("tests/fixtures/gemm_compiled.cake");
  Compiles& compiles = Compiles::of(w.snapshots);
  compiles.set_worker({{BAKERY_BIN_DIR "/bakery", "worker", "--replay", BAKERY_SOURCE_DIR "/tests/fixtures/sessions/compile_gemm.jsonl"}});
  EXPECT_TRUE(w.view->state()->text().contains("not compiled yet"));
  QTest::mouseClick(w.view->compile_button(), Qt::LeftButton);
  EXPECT_TRUE(compiles.busy());
  ASSERT_TRUE(QTest::qWaitFor([&] { return !compiles.busy(); }, 20000));
  EXPECT_TRUE(w.view->state()->text().contains("168 registers")) << w.view->state()->text().toStdString();
  EXPECT_EQ(w.view->card("registers")->gauge().title, "Registers, compiled");
  EXPECT_NE(w.view->card("spills"), nullptr);
  // Another text: declared again.
  w.document.apply({{{0, 0}, "# new\n"}});
  ASSERT_TRUE(QTest::qWaitFor([&] { return w.snapshots.settled(); }, 5000));
  EXPECT_EQ(w.view->card("registers")->gauge().title, "Registers, declared");
}

TEST(OccupancyView, NoCompilerIsToldPlainly) {
  Window w("tests/fixtures/gemm_compiled.cake");
  Compiles::of(w.snapshots).set_worker({{"/nowhere/bakery", "worker"}});
  QTest::mouseClick(w.view->compile_button(), Qt::LeftButton);
  ASSERT_TRUE(QTest::qWaitFor([&] { return !Compiles::of(w.snapshots).busy(); }, 20000));
  EXPECT_TRUE(w.view->state()->text().contains("Not compiled: ")) << w.view->state()->text().toStdString();
}

}  // namespace
