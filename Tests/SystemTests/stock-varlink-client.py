#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright (c) the Relight authors
"""Talks to relightd with the stock Varlink client (pip install varlink), which knows nothing of Relight.

usage: stock-varlink-client.py SOCKET

Reads the interface's description from the socket, lists the views, asks for the status, and calls a method that must
fail. Prints what it saw as one JSON object; ends with status 0 if all went as the description says.
"""

import json
import sys

import varlink


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    seen = {}
    with varlink.Client("unix:" + sys.argv[1]) as client:
        info = client.get_interfaces()
        seen["interfaces"] = sorted(info)
        seen["product"] = client.info["product"]
        interface = client.get_interface("io.relight")
        seen["members"] = sorted(interface.members)
        with client.open("io.relight") as relight:
            seen["views"] = [view["name"] for view in relight.List()["views"]]
            seen["status"] = {key: type(value).__name__ for key, value in relight.Status().items()}
            for name in seen["views"]:
                assert relight.Status(name)["views"][0]["name"] == name
            try:
                relight.Close("there-is-no-such-view")
                print("closing a view that is not there succeeded", file=sys.stderr)
                return 1
            except varlink.VarlinkError as error:
                seen["error"] = error.error()
                seen["parameters"] = sorted(error.parameters())
        with client.open("io.relight") as relight:
            seen["firstEvent"] = next(relight.Events(None, _more=True))["event"]["kind"]
    print(json.dumps(seen, sort_keys=True))
    return 0


if __name__ == "__main__":
    sys.exit(main())
