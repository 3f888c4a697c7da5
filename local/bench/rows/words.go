package rows

import (
	"strings"
	"unicode/utf8"
)

// The lists that texts are put together from.
var (
	families = [20]string{
		"김", "이", "박", "최", "정", "강", "조", "윤", "장", "임",
		"한", "오", "서", "신", "권", "황", "안", "송", "류", "홍",
	}
	givens = [30]string{
		"민준", "서연", "도윤", "지우", "예준", "서윤", "시우", "하은", "주원", "지민",
		"하준", "수아", "지호", "채원", "준서", "다은", "건우", "은지", "현우", "소율",
		"우진", "예린", "선우", "유나", "연우", "가은", "정우", "나연", "승현", "혜진",
	}
	statuses = [6]string{"PAYMENT_PENDING", "PAID", "PREPARING", "SHIPPED", "DELIVERED", "CANCELLED"}

	// english and korean have 32 words each, marked has 8.
	english = words(`
		leave at the front door call before arrival
		gift wrap fragile second order please check size
		blue box only invoice by mail no refund
		express until Friday return spare part urgent ok`)
	korean = words(`
		문 앞에 놓아 주세요 배송 전 연락 바랍니다
		선물 포장 요청 파손 주의 경비실에 맡겨 부재시
		세금계산서 발행 재고 확인 후 출고 교환 환불
		오전 오후 긴급 추가 주문 건 영수증 동봉`)
	marked = words(`R&D A&S <5kg >10ea <new> B&W Q&A: x>y`)
)

// A word of a phrase.
type word struct {
	text       string
	characters int
}

// words takes a list apart at its blanks.
func words(list string) (words []word) {
	for _, text := range strings.Fields(list) {
		words = append(words, word{text, utf8.RuneCountInString(text)})
	}
	return words
}
