// Package customworker shows how a program of one's own is built on haexcel: a
// dataset written in Go, and a requester that is a team rather than a user. The
// function in api is deployed in place of haexcel's submit, status, cancel,
// download and config, the one in worker in place of its worker; recovery, sweep,
// deadletter and migrate stay as they are.
package customworker

import (
	"context"
	"iter"
	"strconv"
	"time"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/fault"
)

// Calendar is a dataset without a database: the days of a year. Real ones would
// read a search index, files or another service here, row by row.
func Calendar() dataset.Dataset {
	return calendar{dataset.FromSeq(
		dataset.Info{
			Name:   "calendar",
			Title:  "영업일 달력",
			Params: []dataset.Param{{Name: "year", Type: dataset.IntegerParam, Required: true}},
			Columns: []cell.ColumnDef{
				{Field: "day", HeaderName: "날짜", Width: 100},
				{Field: "weekday", HeaderName: "요일", ExcelCodeMap: map[string]string{"0": "일", "1": "월", "2": "화", "3": "수", "4": "목", "5": "금", "6": "토"}},
				{Field: "hours", HeaderName: "근무시간"},
			},
			// Another text, another export: change it when the rows' meaning changes.
			Digest: "calendar 1",
		},
		[]cell.Field{{Name: "day", Kind: cell.Date}, {Name: "weekday", Kind: cell.Integer}, {Name: "hours", Kind: cell.Decimal, Scale: 2}},
		days,
	)}
}

// calendar adds the count, which is known beforehand here. Without one an export
// counts as large: it goes to the large queue and its progress has no total.
type calendar struct{ dataset.Dataset }

// Count implements dataset.Counter.
func (calendar) Count(_ context.Context, q dataset.Query) (n int64, known bool, err error) {
	year, err := yearOf(q)
	if err != nil {
		return 0, false, err
	}
	return int64(time.Date(year, time.December, 31, 0, 0, 0, 0, time.UTC).YearDay()), true, nil
}

// yearOf reads the parameter, which is declared as a required integer.
func yearOf(q dataset.Query) (int, error) {
	year, err := strconv.Atoi(q.Params["year"].Items[0])
	if err != nil || year < 1 || year > 9999 {
		return 0, fault.New(fault.Invalid, "The year must be one from 1 to 9999.")
	}
	return year, nil
}

// days yields one row for each day of the year that was asked for.
func days(ctx context.Context, q dataset.Query) iter.Seq2[dataset.Row, error] {
	return func(yield func(dataset.Row, error) bool) {
		year, err := yearOf(q)
		if err != nil {
			yield(nil, err)
			return
		}
		for day := time.Date(year, time.January, 1, 0, 0, 0, 0, time.UTC); day.Year() == year; day = day.AddDate(0, 0, 1) {
			if ctx.Err() != nil { // the job was cancelled
				yield(nil, ctx.Err())
				return
			}
			hours := dataset.Decimal("8.00")
			if day.Weekday() == time.Saturday || day.Weekday() == time.Sunday {
				hours = "0.00"
			}
			if !yield(dataset.Row{dataset.Date(day.Format(time.DateOnly)), int(day.Weekday()), hours}, nil) {
				return
			}
		}
	}
}
