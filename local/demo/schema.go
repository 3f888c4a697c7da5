package demo

import (
	"strconv"
	"strings"
	"time"
)

// table is the table's name once it is finished; building is its name before.
const (
	table    = "demo_orders"
	building = "demo_orders_building"
	replaced = "demo_orders_replaced"
)

// columns in the order of Order.values.
var columns = []string{
	"id", "order_no", "customer_name", "product", "quantity", "unit_price", "amount",
	"status", "ordered_on", "ordered_at", "memo", "shipped_at", "region",
}

// createTable differs by dialect only in the names of two types and in the
// character set, which MariaDB would otherwise take from its server.
func createTable(name string, d dialect) string {
	datetime, suffix := "DATETIME", ""
	switch d {
	case postgres:
		datetime = "TIMESTAMP(0)"
	case mysql:
		suffix = " CHARACTER SET utf8mb4"
	}
	return "CREATE TABLE " + name + ` (
  id BIGINT NOT NULL PRIMARY KEY,
  order_no VARCHAR(20) NOT NULL,
  customer_name VARCHAR(60) NOT NULL,
  product VARCHAR(100) NOT NULL,
  quantity INTEGER NOT NULL,
  unit_price DECIMAL(12,2) NOT NULL,
  amount DECIMAL(14,2) NOT NULL,
  status VARCHAR(2) NOT NULL,
  ordered_on DATE NOT NULL,
  ordered_at ` + datetime + ` NOT NULL,
  memo VARCHAR(200),
  shipped_at ` + datetime + `,
  region VARCHAR(20) NOT NULL
)` + suffix
}

// insert is one statement for n rows.
func insert(name string, n int, d dialect) string {
	var b strings.Builder
	b.WriteString("INSERT INTO " + name + " (" + strings.Join(columns, ", ") + ") VALUES ")
	arg := 0
	for row := range n {
		if row > 0 {
			b.WriteString(", ")
		}
		b.WriteByte('(')
		for c := range columns {
			if c > 0 {
				b.WriteString(", ")
			}
			arg++
			if d == postgres {
				b.WriteString("$" + strconv.Itoa(arg))
			} else {
				b.WriteByte('?')
			}
		}
		b.WriteByte(')')
	}
	return b.String()
}

// values are the arguments of one row. Money and times go as text, which all
// three databases read alike and none rounds or shifts by a zone.
func (o Order) values() []any {
	memo, shipped := any(nil), any(nil)
	if o.Memo != "" {
		memo = o.Memo
	}
	if !o.ShippedAt.IsZero() {
		shipped = o.ShippedAt.Format(time.DateTime)
	}
	return []any{
		o.ID, o.OrderNo, o.CustomerName, o.Product, o.Quantity, money(o.UnitPrice), money(o.Amount),
		string(o.Status), o.OrderedAt.Format(time.DateOnly), o.OrderedAt.Format(time.DateTime), memo, shipped, o.Region,
	}
}

// money writes hundredths as a decimal number.
func money(hundredths int64) string {
	cents := strconv.FormatInt(hundredths%100, 10)
	if len(cents) == 1 {
		cents = "0" + cents
	}
	return strconv.FormatInt(hundredths/100, 10) + "." + cents
}
