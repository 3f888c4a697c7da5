package dataset_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/haexcel/haexcel/shared/dataset"
	"github.com/haexcel/haexcel/shared/dataset/catalog"
)

// TestOrders reads the compiled-in dataset from its table, which is declared
// alike on all databases: the same values must come from each.
func TestOrders(t *testing.T) {
	onEach(t, func(t *testing.T, e engine) {
		datetime, suffix := "DATETIME", ""
		switch e.name {
		case "mariadb":
			suffix = " CHARACTER SET utf8mb4"
		case "postgres":
			datetime = "TIMESTAMP(0)"
		}
		e.exec(t, `CREATE TABLE demo_orders (
			id BIGINT PRIMARY KEY, order_no VARCHAR(20) NOT NULL, customer_name VARCHAR(60) NOT NULL, product VARCHAR(100) NOT NULL,
			quantity INTEGER NOT NULL, unit_price DECIMAL(12,2) NOT NULL, amount DECIMAL(14,2) NOT NULL, status VARCHAR(2) NOT NULL,
			ordered_on DATE NOT NULL, ordered_at `+datetime+` NOT NULL, memo VARCHAR(200), shipped_at `+datetime+`, region VARCHAR(20) NOT NULL)`+suffix,
			`INSERT INTO demo_orders VALUES (1, 'O-000001', '김민준', '키보드', 2, '12500.5', '25001', '02', '2026-09-02', '2026-09-02 14:30:25', NULL, NULL, '서울')`,
			`INSERT INTO demo_orders VALUES (2, 'O-000002', '이서연', '모니터', 1, '300000', '300000', '01', '2026-09-03', '2026-09-03 00:00:00', '문 앞', '2026-09-04 09:00:00', '부산')`)
		sets, err := dataset.LoadFS(catalog.Files, e.sources(t, dataset.SourceOptions{ReportZone: seoul(t)}))
		if err != nil {
			t.Fatal(err)
		}
		_, rows := mustRead(t, sets[0], dataset.Query{})
		want := []row{
			{"integer:1", "text:O-000001", "text:김민준", "text:키보드", "integer:2", "decimal:12500.50", "decimal:25001.00", "text:02",
				"date:2026-09-02", "datetime:2026-09-02 14:30:25", "null", "null", "text:서울"},
			{"integer:2", "text:O-000002", "text:이서연", "text:모니터", "integer:1", "decimal:300000.00", "decimal:300000.00", "text:01",
				"date:2026-09-03", "datetime:2026-09-03 00:00:00", "text:문 앞", "datetime:2026-09-04 09:00:00", "text:부산"},
		}
		if diff := cmp.Diff(want, rows); diff != "" {
			t.Error(diff)
		}
		paid := dataset.Query{Params: dataset.Values{
			"minAmount": {Type: dataset.DecimalParam, Items: []string{"25000.99"}},
			"endDate":   {Type: dataset.DateParam, Items: []string{"2026-09-02"}},
			"status":    {Type: dataset.StringParam, Items: []string{"02"}},
		}}
		if _, rows := mustRead(t, sets[0], paid); len(rows) != 1 {
			t.Errorf("filtered: %v", rows)
		}
	})
}
