// SPDX-License-Identifier: Apache-2.0
#include "app/cli/interrupt.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>

#include "app/session/commands.h"

namespace bakery {

Interrupt::Interrupt() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  thread_ = std::thread([this, signals] {
    int signal = 0;
    if (sigwait(&signals, &signal) != 0 || done_) return;
    stop_.request_stop();
    const timespec patience{2, 0};
    while (sigtimedwait(&signals, nullptr, &patience) < 0 && errno == EINTR) {
    }
    if (!done_) _exit(kStopped);
  });
}

Interrupt::~Interrupt() {
  done_ = true;
  pthread_kill(thread_.native_handle(), SIGTERM);
  thread_.join();
}

}  // namespace bakery
