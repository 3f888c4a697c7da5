// Package rows makes the rows that the benchmarks write: the same bytes on every
// machine, in any order, without allocating. What is random comes from one hash
// of the row and the column, so that a generator in another language gives the
// same rows byte for byte; below is all it needs.
//
// # Numbers
//
// All arithmetic is that of unsigned 64-bit integers that wrap around; / and %
// are whole-number division and remainder. Rows i and columns c count from 0.
//
//	mix(x): x += 0x9E3779B97F4A7C15
//	        x  = (x ^ x>>30) * 0xBF58476D1CE4E5B9
//	        x  = (x ^ x>>27) * 0x94D049BB133111EB
//	        return x ^ x>>31
//	h = mix(mix(i) + c)      the number of a cell
//	g = c / 10               how often the shape's ten columns came before
//
// To check against: mix(0) is 0xE220A8397B1DCDAF, and h of row 1, column 2 is
// 0xBCD9DBB49673066B.
//
// # Shapes
//
// A shape is a list of ten kinds; column c has kind c % 10 of it.
//
//	mixed    id code name quantity price amount date timestamp status note
//	text     id code name note memo status note name memo note
//	numbers  id quantity price amount counter price amount counter amount flag
//
// The shapes wide and memory are made of mixed columns.
//
// # Kinds
//
//	id         integer   i + 1 + 10000000*g
//	code       text      "ORD-" and (3*i + h%3 + 1) % 100000000 in eight digits
//	name       text      families[h % 20], then givens[h/20 % 30]
//	quantity   integer   h % 100 + 1
//	price      decimal   of two places: h%999999900 + 100 hundredths, both places written
//	amount     double    h%1000000000000 + 1 thousandths, written without zeros at its end
//	counter    integer   h % 1000000000000
//	flag       boolean   "1" where h%2 is 1, else "0"
//	date       date      2020-01-01 and h % 2192 days
//	timestamp  wall clock, to the second: the day as for date, at second h/2192 % 86400 of it
//	status     text      statuses[h % 6]
//	note       text      none (NULL) where h%25 is 0; else a phrase of h and at least 12 + h/25%22 characters
//	memo       text      a phrase of h and at least 60 + h/25%90 characters
//
// A phrase is words with a blank between each two, added until it has the wanted
// number of characters (code points, blanks included). x starts as h and is
// x = mix(x) before each word. The words come from korean where h/550 % 2 is 1,
// else from english, by x % 32; the first word of a phrase with h/1100 % 8 = 0
// comes from marked instead, by x % 8. No word has more than 7 characters, so a
// note has at most 40.
//
// The word lists are in words.go.
package rows
