"""Prints the cells of a workbook as openpyxl reads them: see script.go."""

import datetime
import json
import sys

import openpyxl


def fraction(microseconds):
    return f".{microseconds // 1000:03}" if microseconds else ""


def duration(delta):
    milliseconds = round(abs(delta) / datetime.timedelta(milliseconds=1))
    seconds, milliseconds = divmod(milliseconds, 1000)
    minutes, seconds = divmod(seconds, 60)
    sign = "-" if delta < datetime.timedelta() else ""
    return f"{sign}{minutes // 60}:{minutes % 60:02}:{seconds:02}{fraction(milliseconds * 1000)}"


def content(cell):
    value = cell.value
    if cell.data_type in "ef":  # an error or a formula
        return "strange", str(value)
    if isinstance(value, str):
        return "text", value
    if isinstance(value, bool):
        return "boolean", "1" if value else "0"
    if isinstance(value, (int, float)):
        return "number", repr(value)
    if isinstance(value, datetime.datetime):
        return "moment", value.strftime("%Y-%m-%d %H:%M:%S") + fraction(value.microsecond)
    if isinstance(value, datetime.time):
        return "duration", duration(datetime.datetime.combine(datetime.date.min, value) - datetime.datetime.min)
    if isinstance(value, datetime.timedelta):
        return "duration", duration(value)
    return "strange", f"{type(value).__name__} {value}"


def spoken(cell):
    if cell.value is None:
        return None
    return [*content(cell), cell.number_format]


path, mode = sys.argv[1:]
sys.stdout.reconfigure(encoding="utf-8")
encode = json.JSONEncoder(ensure_ascii=False).encode
book = openpyxl.load_workbook(path, read_only=mode == "read-only")
for sheet in book.worksheets:
    print(encode({"sheet": sheet.title}))
    for number, row in enumerate(sheet.iter_rows(), 1):
        sys.stdout.write(encode({"row": number, "cells": [spoken(c) for c in row]}) + "\n")
