package demo

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The first and the last row of the default demo. Documentation and other tests
// name them, so they must never change.
func TestOrdersAreTheSameEverywhere(t *testing.T) {
	at := func(text string) time.Time {
		v, err := time.Parse(time.DateTime, text)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	want := map[int64]Order{
		1: {
			ID: 1, OrderNo: "ORD-00000001", CustomerName: "김유진", Product: "사무용 의자", Quantity: 18,
			UnitPrice: 178_000_00, Amount: 3_204_000_00, Status: Shipped, OrderedAt: at("2024-01-01 00:00:00"),
			Memo: "문 앞에 놓아 주세요", ShippedAt: at("2024-01-03 17:01:00"), Region: "충북",
		},
		DefaultRows: {
			ID: 80_000, OrderNo: "ORD-00080000", CustomerName: "조하윤", Product: "서류 보관함", Quantity: 19,
			UnitPrice: 13_200_00, Amount: 250_800_00, Status: Paid, OrderedAt: at("2025-12-29 16:40:13"),
			Memo: "세금계산서 발행 요청", Region: "광주",
		},
	}
	for id, order := range want {
		if diff := cmp.Diff(order, OrderAt(id)); diff != "" {
			t.Errorf("order %d (-want +got):\n%s", id, diff)
		}
	}
}

func TestOrdersShowEveryCase(t *testing.T) {
	seen := map[Status]int{}
	nullMemo, nullShipped, fractions := 0, 0, 0
	for id := range int64(400) {
		o := OrderAt(id + 1)
		seen[o.Status]++
		if o.Memo == "" {
			nullMemo++
		}
		if o.ShippedAt.IsZero() {
			nullShipped++
		}
		if o.Amount%100 != 0 {
			fractions++
		}
		if o.Amount != o.Quantity*o.UnitPrice {
			t.Errorf("order %d: amount %d is not %d × %d", o.ID, o.Amount, o.Quantity, o.UnitPrice)
		}
	}
	for _, s := range []Status{Unpaid, Paid, Shipped, Cancelled} {
		if seen[s] == 0 {
			t.Errorf("status %s does not occur in the first 400 rows", s)
		}
	}
	if nullMemo == 0 || nullMemo == 400 || nullShipped == 0 || nullShipped == 400 || fractions == 0 {
		t.Errorf("the first 400 rows hold %d NULL memos, %d NULL shipping times, %d amounts with decimals", nullMemo, nullShipped, fractions)
	}
}

func TestMoneyIsWrittenExactly(t *testing.T) {
	for hundredths, want := range map[int64]string{0: "0.00", 5: "0.05", 150: "1.50", 320400000: "3204000.00"} {
		if got := money(hundredths); got != want {
			t.Errorf("money(%d) = %s, want %s", hundredths, got, want)
		}
	}
}
