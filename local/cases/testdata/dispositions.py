"""Reads Content-Disposition headers, a JSON list of them, with Python's email
package, and prints what it finds in each: [type, filename, filename*]."""

import email
import email.utils
import json
import sys

sys.stdout.reconfigure(encoding="utf-8")
found = []
for header in json.load(sys.stdin):
    message = email.message_from_string(f"Content-Disposition: {header}\n\n")
    (kind, _), *parameters = message.get_params(header="content-disposition")
    plain = [value for name, value in parameters if name == "filename" and isinstance(value, str)]
    extended = [email.utils.collapse_rfc2231_value(value) for name, value in parameters if name == "filename" and not isinstance(value, str)]
    if len(parameters) != 2 or len(plain) != 1 or len(extended) != 1:
        sys.exit(f"{header!r} has the parameters {parameters!r}")
    found.append([kind, plain[0], extended[0]])
print(json.dumps(found, ensure_ascii=False))
