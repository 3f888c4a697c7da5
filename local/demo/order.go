package demo

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// DefaultRows is the size of the demo when nobody asks for another one.
const DefaultRows = 80_000

// seed makes the rows; another seed gives another demo.
const seed = 0x6861_6578_6365_6c01

// Order is one row of demo_orders. Money is in hundredths, so that no
// arithmetic rounds.
type Order struct {
	ID           int64
	OrderNo      string
	CustomerName string
	Product      string
	Quantity     int64
	UnitPrice    int64 // hundredths
	Amount       int64 // hundredths: Quantity × UnitPrice
	Status       Status
	OrderedAt    time.Time // wall clock, in UTC for want of a zone
	Memo         string    // "" is NULL
	ShippedAt    time.Time // the zero time is NULL
	Region       string
}

// Status is the coded state of an order.
type Status string

// The codes, in the order of an order's life.
const (
	Unpaid    Status = "01"
	Paid      Status = "02"
	Shipped   Status = "03"
	Cancelled Status = "04"
)

var (
	statuses   = []Status{Unpaid, Paid, Shipped, Shipped, Shipped, Cancelled}
	surnames   = []string{"김", "이", "박", "최", "정", "강", "조", "윤", "장", "임", "한", "오", "서", "신", "권", "황", "안", "송", "류", "홍"}
	givenNames = []string{
		"민준", "서연", "도윤", "서윤", "예준", "지우", "시우", "하윤", "주원", "하은",
		"지호", "수아", "준서", "지아", "건우", "다은", "현우", "은서", "우진", "채원",
		"선우", "유진", "연우", "소율", "정우", "예린", "승현", "나은", "태윤", "가은",
	}
	products = []product{
		{"무선 키보드", 45_900_00}, {"게이밍 마우스", 32_500_00}, {"27인치 모니터", 289_000_00}, {"USB-C 허브", 27_800_50},
		{"노트북 거치대", 19_900_00}, {"블루투스 이어폰", 129_000_00}, {"A4 복사용지 2,500매", 24_750_75}, {"사무용 의자", 178_000_00},
		{"스탠딩 책상", 412_000_00}, {"유성 볼펜 12자루", 5_400_25}, {"서류 보관함", 13_200_00}, {"레이저 프린터", 231_500_00},
	}
	regions = []string{"서울", "부산", "대구", "인천", "광주", "대전", "울산", "세종", "경기", "강원", "충북", "충남", "전북", "전남", "경북", "경남", "제주"}
	memos   = []string{"부재 시 경비실에 맡겨 주세요", "배송 전 연락 바랍니다", "문 앞에 놓아 주세요", "선물 포장 & 메시지 카드", "세금계산서 발행 요청"}
)

type product struct {
	name  string
	price int64
}

// The orders go round the same two years again and again, one every 787 seconds.
var firstOrder = time.Date(2024, time.January, 1, 0, 0, 0, 0, time.UTC)

const (
	orderInterval  = 787 * time.Second
	ordersPerRound = 80_000
)

// OrderAt makes the order with the given number, which starts at 1.
func OrderAt(id int64) Order {
	r := rand.New(rand.NewPCG(seed, uint64(id)))
	p := pick(r, products)
	o := Order{
		ID:           id,
		OrderNo:      fmt.Sprintf("ORD-%08d", id),
		CustomerName: pick(r, surnames) + pick(r, givenNames),
		Product:      p.name,
		Quantity:     1 + r.Int64N(20),
		UnitPrice:    p.price,
		Status:       pick(r, statuses),
		OrderedAt:    firstOrder.Add(time.Duration((id-1)%ordersPerRound) * orderInterval),
		Region:       pick(r, regions),
	}
	o.Amount = o.Quantity * o.UnitPrice
	if r.IntN(3) == 0 {
		o.Memo = pick(r, memos)
	}
	if o.Status == Shipped {
		o.ShippedAt = o.OrderedAt.Add(time.Duration(1+r.Int64N(5*24*60)) * time.Minute)
	}
	return o
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }
