"""Prints, for each zip named on the command line, what Python finds in it: a
JSON list of [name, sha256, flags of the local header, flags of the central
directory, name in the local header, date]."""

import hashlib
import json
import struct
import sys
import zipfile

sys.stdout.reconfigure(encoding="utf-8")
for path in sys.argv[1:]:
    entries = []
    with zipfile.ZipFile(path) as archive, open(path, "rb") as raw:
        if archive.testzip() is not None:
            sys.exit(f"{path}: {archive.testzip()} is damaged")
        for entry in archive.infolist():
            raw.seek(entry.header_offset)
            header = struct.unpack("<4sHHHHHIIIHH", raw.read(30))
            name = raw.read(header[9]).decode("utf-8")
            digest = hashlib.sha256(archive.read(entry)).hexdigest()
            date = "{:04}-{:02}-{:02} {:02}:{:02}:{:02}".format(*entry.date_time)
            entries.append([entry.filename, digest, header[2], entry.flag_bits, name, date])
    print(json.dumps(entries, ensure_ascii=False))
