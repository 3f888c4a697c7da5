"""Prints the cells of a workbook as openpyxl reads them, as JSON.

For each sheet a line with its name, then a line with the list of values for each
of its rows. A date is {"moment": "yyyy-MM-dd HH:mm:ss"}, with a fraction where
there is one.
"""

import datetime
import json
import sys

import openpyxl


def plain(value):
    if isinstance(value, datetime.datetime):
        return {"moment": value.isoformat(" ")}
    return {type(value).__name__: str(value)}


path, mode = sys.argv[1:]
sys.stdout.reconfigure(encoding="utf-8")
encode = json.JSONEncoder(ensure_ascii=False, default=plain).encode
book = openpyxl.load_workbook(path, read_only=mode == "read-only")
for sheet in book.worksheets:
    print(encode(sheet.title))
    for row in sheet.iter_rows(values_only=True):
        sys.stdout.write(encode(row) + "\n")
