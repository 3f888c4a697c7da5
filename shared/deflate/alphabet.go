package deflate

import "math/bits"

// The alphabets of RFC 1951: literals, the end of the block and lengths in one,
// distances in another.
const (
	endOfBlock   = 256
	firstLength  = 257
	literalCodes = 286
	distCodes    = 30
	lengthCodes  = 19 // of the alphabet that describes the two others

	minMatch  = 3
	maxMatch  = 258
	maxWindow = 32 << 10
	maxStored = 65535
)

// lengthCode and distCode say which code a value belongs to, the base which value
// a code begins with, the extra how many bits tell the values of a code apart.
var (
	lengthCode  [maxMatch + 1]uint8
	lengthBase  [literalCodes - firstLength]uint16
	lengthExtra [literalCodes - firstLength]uint8
	distBase    [distCodes]uint16
	distExtra   [distCodes]uint8
)

func init() {
	base := minMatch
	for c := range lengthBase {
		extra := 0
		if c >= 8 {
			extra = c/4 - 1
		}
		if c == len(lengthBase)-1 { // the longest match has a code of its own
			base, extra = maxMatch, 0
		}
		lengthBase[c], lengthExtra[c] = uint16(base), uint8(extra)
		for n := base; n < base+1<<extra && n <= maxMatch; n++ {
			lengthCode[n] = uint8(c)
		}
		base += 1 << extra
	}
	base = 1
	for c := range distBase {
		extra := 0
		if c >= 4 {
			extra = c/2 - 1
		}
		distBase[c], distExtra[c] = uint16(base), uint8(extra)
		base += 1 << extra
	}
}

// distCode is computed: from 5 on a code stands for each half of a power of two.
func distCode(dist uint32) uint32 {
	d := dist - 1
	if d < 2 {
		return d
	}
	n := uint32(bits.Len32(d)) - 1
	return 2*n + d>>(n-1)&1
}
