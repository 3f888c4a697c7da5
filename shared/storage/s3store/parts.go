package s3store

// Limits of S3.
const (
	minPartBytes   = 5 << 20 // except the last part
	maxPartBytes   = 5 << 30
	maxParts       = 10_000
	maxObjectBytes = 5 << 40

	// The smallest there is: every writer holds a few parts in memory.
	defaultPartBytes = minPartBytes
)

// partSizes decides how large each part of an upload is. The length of a stream
// is not known beforehand, so parts begin small and double every growthStep
// parts: files up to some gigabytes are sent in parts of the first size, and
// 10,000 parts still hold the largest object.
type partSizes struct {
	first int64
}

const growthStep = 900

// of gives the size of part n, counted from 1.
func (p partSizes) of(n int32) int64 {
	size := p.first
	for range (n - 1) / growthStep {
		if size >= maxPartBytes {
			break
		}
		size *= 2
	}
	return min(size, maxPartBytes)
}
