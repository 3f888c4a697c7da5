package dataset_test

import (
	"context"
	"database/sql"
	"fmt"
	"iter"
	"strings"
	"testing/fstest"

	"github.com/haexcel/haexcel/shared/cell"
	"github.com/haexcel/haexcel/shared/dataset"
)

// printRows reads a dataset the way that an export does.
func printRows(d dataset.Dataset, q dataset.Query) {
	rows, err := d.Open(context.Background(), q)
	if err != nil {
		fmt.Println(err)
		return
	}
	for rows.Next() {
		var cells []string
		for i, v := range rows.Values() {
			cells = append(cells, fmt.Sprintf("%s=%s", rows.Fields()[i].Name, v.Bytes))
		}
		fmt.Println(strings.Join(cells, " "))
	}
	// A cut connection ends Next too: only Err tells it from the end of the data.
	if err := rows.Err(); err != nil {
		fmt.Println(err)
	}
	if err := rows.Close(); err != nil {
		fmt.Println(err)
	}
}

// A dataset in Go yields its rows one by one.
func ExampleFromSeq() {
	stock := dataset.FromSeq(
		dataset.Info{Name: "stock", Title: "재고"},
		[]cell.Field{{Name: "item", Kind: cell.Text}, {Name: "price", Kind: cell.Decimal, Scale: 2}, {Name: "left", Kind: cell.Integer}},
		func(ctx context.Context, q dataset.Query) iter.Seq2[dataset.Row, error] {
			return func(yield func(dataset.Row, error) bool) {
				_ = yield(dataset.Row{"연필", dataset.Decimal("500.00"), 12}, nil) &&
					yield(dataset.Row{"공책", dataset.Decimal("1200.50"), nil}, nil)
			}
		})
	printRows(stock, dataset.Query{})
	// Output:
	// item=연필 price=500.00 left=12
	// item=공책 price=1200.50 left=
}

// A query on a database that the program opened itself.
func ExampleFromQuery() {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = db.Close() }()
	numbers := dataset.FromQuery(dataset.Info{Name: "numbers", Params: []dataset.Param{{Name: "least", Type: dataset.IntegerParam}}},
		db, "SELECT column1 AS n FROM (VALUES (1), (2), (3)) WHERE column1 >= CAST(? AS INTEGER)",
		func(q dataset.Query) []any { return []any{q.Params["least"].Items[0]} })
	printRows(numbers, dataset.Query{Params: dataset.Values{"least": {Type: dataset.IntegerParam, Items: []string{"2"}}}})
	// Output:
	// n=2
	// n=3
}

// Dataset files are read at start; their faults come with file and line.
func ExampleLoadFS() {
	sources, err := dataset.NewSources(map[string]string{"main": "mysql://reader:secret@db.example:3306/shop"}, dataset.SourceOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = sources.Close() }()
	_, err = dataset.LoadFS(fstest.MapFS{"refunds.yaml": {Data: []byte(`name: refunds
source: main
key: id
select: {id: r.id, amount: r.amount}
from: refunds r
where: [{sql: "r.amount >= :least", when: least}]
`)}}, sources)
	fmt.Println(err)
	// Output:
	// refunds.yaml:6: the condition uses the parameter "least", which params does not declare
	// refunds.yaml:6: when names the parameter "least", which params does not declare
}
