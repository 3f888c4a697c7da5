package bootstore_test

import (
	"crypto/rand"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/haexcel/haexcel/shared/storage/s3store"
)

// newBucket makes an empty bucket with a name of its own.
func newBucket(t *testing.T, endpoint string) string {
	t.Helper()
	client, err := s3store.NewClient(t.Context(), s3store.ClientOptions{
		Region: "us-east-1", Endpoint: endpoint, AccessKey: "test", SecretKey: "test",
	})
	if err != nil {
		t.Fatal(err)
	}
	name := "bootstore-" + strings.ToLower(rand.Text())
	if _, err := client.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: &name}); err != nil {
		t.Fatal(err)
	}
	return name
}
