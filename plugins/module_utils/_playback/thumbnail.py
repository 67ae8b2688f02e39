# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Fetch a thumbnail, and decode it."""

from __future__ import annotations

from .decoding import decode_picture
from .playback import Playback
from .viewer import Viewer, check_status


def play_thumbnail(viewer: Viewer, playback: Playback) -> None:
    """Fetch and decode the picture of a URL. Raises NotPlayed."""
    response = viewer.get(playback.target.url)
    playback.certificate = viewer.certificate
    check_status(response)
    playback.tracks.append(decode_picture(response.body))
    playback.seconds_to_first_frame = viewer.clock.elapsed
