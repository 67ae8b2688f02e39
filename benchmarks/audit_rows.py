# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rows about the audit of a fleet."""

from __future__ import annotations

from .fleet_rows import UNCHANGED
from .measuring import Sample
from .places import Place
from .table import Row, Sizes, time_ratio

AUDIT = "streamops.ovenmediaengine.audit"
AUDITED = "fleet_audit"


def audit_rows(fleet: Place, sizes: Sizes) -> list[Row]:
    """Return the rows. Earlier ones have provisioned the fleet."""
    # The virtual host `default` of the servers takes all host names, which is a finding for each of the others.
    variables = {"audit_fail_on": "none", "audit_report_dir": str(fleet.directory / "audit")}

    def audit() -> Sample:
        return fleet.play(AUDIT, variables=variables)

    return [
        Row(
            AUDITED,
            "fleet",
            f"{sizes.fleet:,} servers with the same, by the playbook `audit`",
            audit,
            1.0 + 0.06 * sizes.fleet,
            time_ratio(AUDITED, UNCHANGED, "{} × `provision` of the same", 2),
            (UNCHANGED,),
        )
    ]
