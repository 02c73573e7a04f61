// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/view_requests.h"

namespace bakery::views {

ViewRequests& ViewRequests::of(Focus& focus) {
  auto* known = focus.findChild<ViewRequests*>(QString(), Qt::FindDirectChildrenOnly);
  return known ? *known : *new ViewRequests(&focus);
}

}  // namespace bakery::views
