// SPDX-License-Identifier: GPL-3.0-or-later
// Photographs the real program in light, dark and twice the scale, and looks for what a person would
// object to: a blank dock, clipped text, parts that the theme did not reach.
#include <gtest/gtest.h>

#include <QDir>
#include <QFile>
#include <QImage>
#include <QProcess>
#include <QSet>
#include <QTemporaryDir>

using namespace std::string_literals;

namespace {

struct Shot {
  int exit_code = -1;
  QString output;
  QImage image;
};

const QString kProgram = QStringLiteral(BAKERY_BIN_DIR "/bakery-workbench");
const QString kGemm = QStringLiteral(BAKERY_SOURCE_DIR "/resources/schedules/gemm_bf16_sm90a.cake");

Shot shoot(const QString& file, const QStringList& arguments, const QString& scale = QStringLiteral("1")) {
  QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("shot.png"));
  QProcess process;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
  environment.insert(QStringLiteral("QT_SCALE_FACTOR"), scale);
  environment.insert(QStringLiteral("BAKERY_HOME"), folder.path());
  process.setProcessEnvironment(environment);
  process.setProcessChannelMode(QProcess::MergedChannels);
  process.start(kProgram, QStringList{file, QStringLiteral("--shot"), path, QStringLiteral("--audit")} + arguments);
  Shot shot;
  if (!process.waitForFinished(60000)) {
    process.kill();
    return shot;
  }
  shot.exit_code = process.exitCode();
  shot.output = QString::fromUtf8(process.readAll());
  shot.image = QImage(path);
  return shot;
}

int colours(const QImage& image, const QRect& area) {
  QSet<QRgb> seen;
  for (int y = area.top(); y <= area.bottom(); ++y)
    for (int x = area.left(); x <= area.right(); ++x) seen.insert(image.pixel(x, y));
  return static_cast<int>(seen.size());
}

// The share of pixels at least as light as `least`, 0 to 255.
double light_share(const QImage& image, int least) {
  qint64 light = 0;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x) light += qGray(image.pixel(x, y)) >= least;
  return static_cast<double>(light) / (static_cast<double>(image.width()) * image.height());
}

// The largest share of near-white in any tile of 40 by 40 points.
double lightest_tile(const QImage& image, int scale) {
  double most = 0;
  const int size = 40 * scale;
  for (int y = 0; y + size <= image.height(); y += size)
    for (int x = 0; x + size <= image.width(); x += size) most = std::max(most, light_share(image.copy(x, y, size, size), 225));
  return most;
}

QRect part(const QImage& image, double x0, double y0, double x1, double y1) {
  return QRect(QPoint(static_cast<int>(image.width() * x0), static_cast<int>(image.height() * y0)),
               QPoint(static_cast<int>(image.width() * x1) - 1, static_cast<int>(image.height() * y1) - 1));
}

void expect_alive(const Shot& shot, QSize size) {
  ASSERT_EQ(shot.exit_code, 0) << shot.output.toStdString();
  ASSERT_EQ(shot.image.size(), size);
  EXPECT_GT(colours(shot.image, part(shot.image, 0.02, 0.1, 0.4, 0.5)), 60) << "editor";
  EXPECT_GT(colours(shot.image, part(shot.image, 0.02, 0.6, 0.4, 0.95)), 40) << "findings";
  EXPECT_GT(colours(shot.image, part(shot.image, 0.5, 0.1, 0.98, 0.9)), 60) << "timeline";
}

class Shots : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!QFile::exists(kProgram) || !QFile::exists(kGemm)) GTEST_SKIP() << "needs the program and the GEMM";
  }
};

TEST_F(Shots, Light) {
  const Shot shot = shoot(kGemm, {"--theme", "light"});
  expect_alive(shot, {1600, 1000});
  EXPECT_GT(light_share(shot.image, 200), 0.6);
}

TEST_F(Shots, DarkHasNoLightLeftovers) {
  const Shot shot = shoot(kGemm, {"--theme", "dark"});
  expect_alive(shot, {1600, 1000});
  EXPECT_LT(light_share(shot.image, 225), 0.03);
  EXPECT_LT(lightest_tile(shot.image, 1), 0.35);
}

TEST_F(Shots, TwiceTheScale) {
  for (const char* theme : {"light", "dark"}) {
    const Shot shot = shoot(kGemm, {"--theme", theme}, "2");
    expect_alive(shot, {3200, 2000});
    if (theme == "dark"s) {
      EXPECT_LT(lightest_tile(shot.image, 2), 0.35);
    }
  }
}

TEST_F(Shots, SmallWindowClipsNothing) {
  const Shot shot = shoot(kGemm, {"--size", "1000x640", "--theme", "light"});
  EXPECT_EQ(shot.exit_code, 0) << shot.output.toStdString();
}

TEST_F(Shots, FocusIsSeen) {
  const Shot plain = shoot(kGemm, {"--theme", "light"});
  for (const char* place : {"full[2]@2", "load", "L33"}) {
    const Shot shot = shoot(kGemm, {"--theme", "light", "--focus", place});
    ASSERT_EQ(shot.exit_code, 0) << place << shot.output.toStdString();
    EXPECT_NE(shot.image, plain.image) << place;
  }
}

TEST_F(Shots, EveryViewInEveryThemeAtEveryScale) {
  const QString broken = QStringLiteral(BAKERY_SOURCE_DIR "/tests/fixtures/gemm_missing_arrive.cake");
  for (const char* scale : {"1", "1.5", "2"}) {
    QTemporaryDir folder;
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
    environment.insert(QStringLiteral("QT_SCALE_FACTOR"), QLatin1String(scale));
    environment.insert(QStringLiteral("BAKERY_HOME"), folder.path());
    process.setProcessEnvironment(environment);
    process.start(kProgram, {broken, QStringLiteral("--tour"), folder.filePath(QStringLiteral("tour"))});
    ASSERT_TRUE(process.waitForFinished(240000)) << scale;
    EXPECT_EQ(process.exitCode(), 0) << "scale " << scale << "\n" << process.readAllStandardOutput().toStdString();
    const QFileInfoList pictures = QDir(folder.filePath(QStringLiteral("tour"))).entryInfoList({QStringLiteral("*.png")}, QDir::Files);
    EXPECT_GE(pictures.size(), 3 * 12) << scale;
    for (const QFileInfo& picture : pictures) {
      const QImage image(picture.filePath());
      const std::string name = picture.fileName().toStdString();
      EXPECT_GT(colours(image, image.rect()), 20) << scale << " " << name << " is blank";
      if (!picture.fileName().startsWith(QStringLiteral("light_")))
        EXPECT_LT(light_share(image, 225), 0.10) << scale << " " << name << " has parts that the theme did not reach";
    }
  }
}

TEST_F(Shots, WrongUseIsToldWithoutAWindow) {
  QTemporaryDir folder;
  QFile noise(folder.filePath("noise.cake"));
  ASSERT_TRUE(noise.open(QIODevice::WriteOnly));
  noise.write("\xFF\xFE\x00 not text");
  noise.close();
  EXPECT_EQ(shoot(folder.filePath("none.cake"), {}).exit_code, 2);
  EXPECT_EQ(shoot(noise.fileName(), {}).exit_code, 2);
  EXPECT_EQ(shoot(kGemm, {"--target", "sm_1"}).exit_code, 2);
  EXPECT_EQ(shoot(kGemm, {"--theme", "pink"}).exit_code, 2);
  EXPECT_EQ(shoot(kGemm, {"--focus", "nowhere"}).exit_code, 2);
  const Shot shot = shoot(noise.fileName(), {});
  EXPECT_TRUE(shot.output.contains("not UTF-8"));
}

TEST_F(Shots, BrokenTextStillShows) {
  QTemporaryDir folder;
  const QList<QByteArray> texts = {"", "((((", "@cake.schedule()\ndef f(lm):\n    x = \n",
                                   QByteArray(200000, '('), QByteArray(100000, 'x')};
  for (const QByteArray& text : texts) {
    QFile file(folder.filePath("broken.cake"));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(text);
    file.close();
    const Shot shot = shoot(file.fileName(), {"--theme", "dark"});
    EXPECT_EQ(shot.exit_code, 0) << shot.output.toStdString();
    EXPECT_FALSE(shot.image.isNull());
  }
}

}  // namespace
