# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Document the options with which objects survive a restart of the server."""

from __future__ import annotations


class ModuleDocFragment:
    """The options `durable` and `config_dir`."""

    # For virtual hosts.
    DOCUMENTATION = r"""
options:
  durable:
    description:
      - Whether to also write, or with O(state=absent) remove, the files from which the server makes the virtual hosts
        and their applications when it starts, so that they survive a restart.
      - Each virtual host has a file C(VHost_NAME.xml) in O(config_dir), with mode C(0600). Server.xml must include
        these files by C(<VirtualHost include="VHost*.xml" />). The API comes first, then the file. A file that cannot
        be written makes the task fail, and the next run writes it.
      - Options that are not specified keep the values of the file, or of the server if there is no file yet.
      - A file is edited. Everything that an option does not change stays as it is, such as comments, order and
        indentation, elements with C(ignore="true"), and the files that it includes. An element that comes from an
        included file is changed in that file. The task refuses to change a file that several elements include, and to
        remove an element that an include brings in with others.
      - The API adds C(providers), C(publishers) and C(output_profiles) to an application that lacks them. A server adds
        nothing to an application of a file, which cannot be played then. So the file gets what the API adds. A file
        that lacks it is repaired, with RV(restart_required=true) if the server has started from it.
      - A running virtual host that comes from its file cannot be changed before the server restarts. If it differs,
        the task changes the file and succeeds with RV(restart_required=true).
      - An option that the version of the server does not know is refused before anything is written, because the
        server would not start with it.
      - With C(purge), the files of unlisted virtual hosts are removed if this collection has made them. A file that
        somebody else has made is never removed, even if this collection has edited it. C(purge) warns about its virtual
        host, and O(state=absent) fails for it, because the server makes it again when it starts.
    type: bool
    default: false
    version_added: 2.0.0
  config_dir:
    description:
      - Absolute path of the server's configuration directory, which has Server.xml, on the host where the task runs.
        That is the media server, or a host that has the directory mounted.
      - Required if O(durable=true). Relative paths are refused. Without O(durable) it is not used, with a warning.
    type: path
    version_added: 2.0.0
"""

    # For an audit.
    AUDITED = r"""
options:
  durable:
    description:
      - Whether the files from which the server starts are compared with the lists, too. The audit reads them and never
        writes them.
      - V(restart_due) is a finding about what differs until the server restarts, because it comes from a file that is
        already as listed. V(not_durable) is one about what a restart loses or changes, because a file lacks it,
        such as an application without C(output_profiles), of which the server would make no output.
      - A push task or a recording that its stream map starts is not missing while its stream is not live.
    type: bool
    default: false
    version_added: 2.0.0
  config_dir:
    description:
      - Absolute path of the server's configuration directory, which has Server.xml, on the host where the task runs.
        That is the media server, or a host that has the directory mounted.
      - Required if O(durable=true). Relative paths are refused. Without O(durable) it is not used, with a warning.
    type: path
    version_added: 2.0.0
"""

    # For applications. The name is not that of a fragment, which Ansible would take instead.
    APPLICATIONS = r"""
options:
  durable:
    description:
      - Whether to also write the applications to, or with O(state=absent) remove them from, the files from which the
        server makes the virtual hosts when it starts, so that they survive a restart.
      - Their virtual hosts must be durable, see O(streamops.ovenmediaengine.vhost#module:durable). The API comes first,
        then the file. A file that cannot be written makes the task fail, and the next run writes it.
      - Options that are not specified keep the values of the file, or of the server if the file lacks the application.
      - The API adds C(providers), C(publishers) and C(output_profiles) to an application that lacks them. A server adds
        nothing to an application of a file, which cannot be played then. So the file gets what the API adds. A file
        that lacks it is repaired, with RV(restart_required=true) if the server has started from it.
      - A running virtual host that comes from its file cannot be changed before the server restarts. If an application
        differs, the task changes the file and succeeds with RV(restart_required=true).
      - An option that the version of the server does not know is refused before anything is written, because the
        server would not start with it.
      - With C(purge), unlisted applications are removed from the files of the same virtual hosts.
    type: bool
    default: false
    version_added: 2.0.0
  config_dir:
    description:
      - Absolute path of the server's configuration directory, which has Server.xml, on the host where the task runs.
        That is the media server, or a host that has the directory mounted.
      - Required if O(durable=true). Relative paths are refused. Without O(durable) it is not used, with a warning.
    type: path
    version_added: 2.0.0
"""

    # For push tasks and recordings.
    JOBS = r"""
options:
  durable:
    description:
      - Whether to also write the jobs to, or with O(state=stopped) remove them from, the stream maps of their
        applications, so that they survive a restart. A stream map starts its jobs with each stream.
      - The applications must be durable, see O(streamops.ovenmediaengine.applications#module:durable). The maps are
        files in C(maps/VHOST/APPLICATION) of O(config_dir), with mode C(0600). The file of the virtual host gets the
        path of the map. A file that cannot be written makes the task fail, and the next run writes it.
      - An application that does not read its map yet, because it was created through the API, runs the jobs through the
        API until the server restarts. One that reads its map leaves them to it, with the state V(waiting) until their
        stream starts. Then the API is only used if the stream is live already, and the next run stops what the map has
        started as well.
      - Without this option, a job that a map has started is recognized if its stream is live.
      - With this option, names of streams can have the wildcards C(*) and C(?). Only the map starts such jobs.
      - With O(purge), unlisted jobs are removed from the maps of the same applications.
    type: bool
    default: false
    version_added: 2.0.0
  config_dir:
    description:
      - Absolute path of the server's configuration directory, which has Server.xml, on the host where the task runs.
        That is the media server, or a host that has the directory mounted.
      - Required if O(durable=true). Relative paths are refused. Without O(durable), the task only reads the stream
        maps. It leaves jobs to them whose streams are not live yet, and O(state=stopped) finds a job by the ID that its
        map has. A map that cannot be read is a warning (since 3.0.0).
    type: path
    version_added: 2.0.0
"""

    # For modules that only read stream maps.
    MAPS = r"""
options:
  config_dir:
    description:
      - Absolute path of the server's configuration directory, on the host where the task runs. With it, the task reads
        the stream maps of applications, which have the IDs of the push tasks and recordings that they start. A map that
        cannot be read is a warning.
    type: path
    version_added: 3.0.0
"""
