package dataset_test

import (
	"testing"

	"github.com/haexcel/haexcel/shared/dataset"
)

// BenchmarkRead reads 50,000 rows of ten columns by pages.
func BenchmarkRead(b *testing.B) {
	const rows = 50_000
	for _, c := range []struct {
		name   string
		open   func(testing.TB) engine
		series string
	}{
		{"sqlite", onSQLite, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000) SELECT i FROM n"},
		{"mariadb", onMariaDB, "SELECT seq AS i FROM seq_1_to_50000"},
		{"postgres", onPostgres, "SELECT i FROM generate_series(1, 50000) AS g(i)"},
	} {
		b.Run(c.name, func(b *testing.B) {
			e := c.open(b)
			e.exec(b, "CREATE TABLE wide (id INTEGER NOT NULL PRIMARY KEY, a INTEGER, b INTEGER, t VARCHAR(40), u VARCHAR(40), v VARCHAR(40), p DECIMAL(12,2), q DECIMAL(12,2), d DATE, m VARCHAR(40))",
				"INSERT INTO wide SELECT s.i, s.i, s.i, '주문 번호', '고객 이름', 'text', 1250.5, 99.95, '2026-09-02', NULL FROM ("+c.series+") AS s")
			d := load(b, e.sources(b, dataset.SourceOptions{}),
				"name: wide\nkey: id\nselect: {id: id, a: a, b: b, t: t, u: u, v: v, p: p, q: q, d: d, m: m}\nfrom: wide\n")
			b.ReportAllocs()
			for b.Loop() {
				r, err := d.Open(b.Context(), dataset.Query{})
				if err != nil {
					b.Fatal(err)
				}
				n := 0
				for r.Next() {
					n += len(r.Values()) / 10
				}
				if err := r.Err(); err != nil || n != rows {
					b.Fatalf("%d rows, %v", n, err)
				}
				if err := r.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
