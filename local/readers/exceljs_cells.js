// Prints the cells of a workbook as exceljs reads them: see script.go. The library
// is found from the folder that the program runs in.
"use strict";

const ExcelJS = require("exceljs");

// Serial numbers count from here; exceljs puts them on the wall clock of UTC.
const start = Date.UTC(1899, 11, 30);

function fraction(milliseconds) {
  return milliseconds ? "." + String(milliseconds).padStart(3, "0") : "";
}

function two(n) {
  return String(n).padStart(2, "0");
}

function duration(milliseconds) {
  const length = Math.abs(milliseconds);
  const seconds = Math.floor(length / 1000);
  const clock = Math.floor(seconds / 3600) + ":" + two(Math.floor(seconds / 60) % 60) + ":" + two(seconds % 60);
  return (milliseconds < 0 ? "-" : "") + clock + fraction(length % 1000);
}

function moment(at) {
  return at.toISOString().slice(0, 19).replace("T", " ") + fraction(at.getUTCMilliseconds());
}

// showsDay tells whether a date format, of which quoted text, colours and the
// like are taken away, shows a part of the calendar.
function showsDay(format) {
  return /[yd]/i.test(format.replace(/"[^"]*"|\\.|\[[^\]]*\]/g, ""));
}

function plainText(value) {
  return value.richText ? value.richText.map((part) => part.text).join("") : String(value);
}

function content(cell, format) {
  const value = cell.value;
  switch (cell.type) {
    case ExcelJS.ValueType.Number:
      return ["number", String(value)];
    case ExcelJS.ValueType.String:
    case ExcelJS.ValueType.SharedString:
    case ExcelJS.ValueType.RichText:
      return ["text", plainText(value)];
    case ExcelJS.ValueType.Hyperlink:
      return ["text", plainText(value.text)];
    case ExcelJS.ValueType.Boolean:
      return ["boolean", value ? "1" : "0"];
    case ExcelJS.ValueType.Date:
      return showsDay(format) ? ["moment", moment(value)] : ["duration", duration(value.getTime() - start)];
    default:
      return ["strange", JSON.stringify(value)];
  }
}

function spoken(cell) {
  if (cell.type === ExcelJS.ValueType.Null || cell.type === ExcelJS.ValueType.Merge) {
    return null;
  }
  const format = cell.numFmt || "General";
  return [...content(cell, format), format];
}

async function main(path) {
  const book = new ExcelJS.Workbook();
  await book.xlsx.readFile(path);
  for (const sheet of book.worksheets) {
    process.stdout.write(JSON.stringify({ sheet: sheet.name }) + "\n");
    sheet.eachRow((row, number) => {
      const cells = [];
      row.eachCell({ includeEmpty: true }, (cell) => cells.push(spoken(cell)));
      process.stdout.write(JSON.stringify({ row: number, cells }) + "\n");
    });
  }
}

main(process.argv[1]).catch((failure) => {
  console.error(String(failure));
  process.exitCode = 1;
});
