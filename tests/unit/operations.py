# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operation and the argument spec of each module, by the name of the module."""

from __future__ import annotations

import typing as t

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.applications import (
    Application,
    Applications,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.audit import AuditInfo
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.base import Operation
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.certificates import (
    CertificateInfo,
    CertReload,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.info import (
    ApplicationInfo,
    PushTaskInfo,
    VhostInfo,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.push_tasks import (
    PushTask,
    PushTaskList,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.virtual_hosts import Vhost, Vhosts
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime import options

OPERATIONS: dict[str, type[Operation]] = {
    "vhost": Vhost,
    "vhosts": Vhosts,
    "vhost_info": VhostInfo,
    "application": Application,
    "applications": Applications,
    "application_info": ApplicationInfo,
    "push_task": PushTask,
    "push_tasks": PushTaskList,
    "push_task_info": PushTaskInfo,
    "cert_reload": CertReload,
    "certificate_info": CertificateInfo,
    "audit_info": AuditInfo,
}


def argument_spec(module: str) -> dict[str, t.Any]:
    """Return the argument spec of a module by its name."""
    return options.argument_spec(OPERATIONS[module])
