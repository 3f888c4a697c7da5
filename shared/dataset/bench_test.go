package dataset_test

import (
	"fmt"
	"testing"

	"github.com/haexcel/haexcel/shared/dataset"
)

// benchRows is enough for the reading to outweigh its first statement.
const benchRows = 200_000

// orderTable has ten columns of the kinds that a table of orders has.
const orderTable = "CREATE TABLE wide (id INTEGER NOT NULL PRIMARY KEY, order_no VARCHAR(20) NOT NULL, customer VARCHAR(40) NOT NULL, " +
	"quantity SMALLINT NOT NULL, amount DECIMAL(12,2) NOT NULL, rate DOUBLE PRECISION NOT NULL, due DATE NOT NULL, " +
	"ordered_at %s NOT NULL, status VARCHAR(2) NOT NULL, note VARCHAR(80))"

const orderSet = "name: wide\nkey: id\nselect: {id: id, orderNo: order_no, customer: customer, quantity: quantity, amount: amount, " +
	"rate: rate, due: due, orderedAt: ordered_at, status: status, note: note}\nfrom: wide\n"

// orderRows are the rows of orderTable, as text and numbers that each database
// makes from a series i; every fifth note is NULL.
var orderRows = map[string]string{
	"sqlite": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) " +
		"SELECT i, printf('ORD-2026-%%08d', i), '고객 ' || (i %% 5000) || '호', i %% 997, (i * 7919 %% 100000000) / 100.0, i / 7.0, " +
		"date('2020-01-01', (i %% 2000) || ' days'), datetime('2020-01-01', (i * 37) || ' seconds'), printf('%%02d', i %% 7), " +
		"CASE WHEN i %% 5 = 0 THEN NULL ELSE 'delivered to the front desk, ' || i END FROM n",
	"mariadb": "SELECT seq, CONCAT('ORD-2026-', LPAD(seq, 8, '0')), CONCAT('고객 ', seq %% 5000, '호'), seq %% 997, " +
		"(CAST(seq AS SIGNED) * 7919 %% 100000000) / 100, seq / 7e0, '2020-01-01' + INTERVAL (seq %% 2000) DAY, " +
		"'2020-01-01' + INTERVAL (seq * 37) SECOND, LPAD(seq %% 7, 2, '0'), " +
		"IF(seq %% 5 = 0, NULL, CONCAT('delivered to the front desk, ', seq)) FROM seq_1_to_%d",
	"postgres": "SELECT i, 'ORD-2026-' || lpad(CAST(i AS text), 8, '0'), '고객 ' || (i %% 5000) || '호', i %% 997, " +
		"(CAST(i AS bigint) * 7919 %% 100000000) / 100.0, i / 7e0, date '2020-01-01' + i %% 2000, " +
		"timestamp '2020-01-01' + i * interval '37 seconds', lpad(CAST(i %% 7 AS text), 2, '0'), " +
		"CASE WHEN i %% 5 = 0 THEN NULL ELSE 'delivered to the front desk, ' || i END FROM generate_series(1, %d) AS g(i)",
}

// fillOrders makes the table of orders with n rows.
func fillOrders(t testing.TB, e engine, n int) {
	t.Helper()
	moment := "DATETIME"
	if e.name == "postgres" {
		moment = "TIMESTAMP"
	}
	e.exec(t, fmt.Sprintf(orderTable, moment))
	e.exec(t, "INSERT INTO wide "+fmt.Sprintf(orderRows[e.name], n))
	if e.name == "postgres" {
		e.exec(t, "VACUUM ANALYZE wide") // as any table of some age is
	}
}

// BenchmarkRead reads a table of orders by pages, to the last value.
func BenchmarkRead(b *testing.B) {
	for _, c := range []struct {
		name string
		open func(testing.TB) engine
	}{{"sqlite", onSQLite}, {"mariadb", onMariaDB}, {"postgres", onPostgres}} {
		b.Run(c.name, func(b *testing.B) {
			e := c.open(b)
			fillOrders(b, e, benchRows)
			d := load(b, e.sources(b, dataset.SourceOptions{}), orderSet)
			b.ReportAllocs()
			total := 0
			for b.Loop() {
				r, err := d.Open(b.Context(), dataset.Query{})
				if err != nil {
					b.Fatal(err)
				}
				n, size := 0, 0
				for r.Next() {
					n++
					for _, v := range r.Values() {
						size += len(v.Bytes)
					}
				}
				if err := r.Err(); err != nil || n != benchRows {
					b.Fatalf("%d rows, %v", n, err)
				}
				if err := r.Close(); err != nil {
					b.Fatal(err)
				}
				b.SetBytes(int64(size))
				total += n
			}
			b.ReportMetric(float64(total)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
