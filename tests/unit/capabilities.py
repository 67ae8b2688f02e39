# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The capability of each module, and the argument spec that follows from it, by the name of the module."""

from __future__ import annotations

import typing as t

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils import _options
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._capabilities_applications import Application, Applications
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._capabilities_audit import AuditInfo
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._capabilities_certificates import CertificateInfo, CertReload
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._capabilities_info import ApplicationInfo, PushTaskInfo, VhostInfo
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._capabilities_push_tasks import PushTask, PushTaskList
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._capabilities_virtual_hosts import Vhost, Vhosts
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._capability import Capability

CAPABILITIES: dict[str, type[Capability]] = {
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
    """The argument spec of a module by its name."""
    return _options.argument_spec(CAPABILITIES[module])
