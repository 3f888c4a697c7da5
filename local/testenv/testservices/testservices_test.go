package testservices_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/go-sql-driver/mysql"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/haexcel/haexcel/local/testenv/testservices"
)

func TestMariaDBIsFreshAndDropped(t *testing.T) {
	t.Parallel()
	var first, second string
	t.Run("two databases", func(t *testing.T) {
		first, second = testservices.MariaDB(t), testservices.MariaDB(t)
		if first == second {
			t.Fatalf("two calls returned the same database %s", first)
		}
		db := openMariaDB(t, first)
		var tables int
		if err := db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE()").Scan(&tables); err != nil {
			t.Fatal(err)
		}
		if tables != 0 {
			t.Errorf("a fresh database has %d tables", tables)
		}
		// A transaction left open must not hold up the drop.
		if _, err := db.ExecContext(t.Context(), "CREATE TABLE held (id INT PRIMARY KEY, name VARCHAR(20)) ENGINE=InnoDB"); err != nil {
			t.Fatal(err)
		}
		tx, err := db.BeginTx(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.ExecContext(t.Context(), "INSERT INTO held VALUES (1, '홍길동')"); err != nil {
			t.Fatal(err)
		}
	})
	if first == "" {
		return // skipped within, which said why
	}
	db := openMariaDB(t, withoutDatabase(t, first))
	for _, address := range []string{first, second} {
		var left int
		if err := db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name = ?", databaseName(t, address)).Scan(&left); err != nil {
			t.Fatal(err)
		}
		if left != 0 {
			t.Errorf("%s was left behind", databaseName(t, address))
		}
	}
}

func TestPostgresIsFreshAndDropped(t *testing.T) {
	t.Parallel()
	var first, second string
	t.Run("two databases", func(t *testing.T) {
		first, second = testservices.Postgres(t), testservices.Postgres(t)
		if first == second {
			t.Fatalf("two calls returned the same database %s", first)
		}
		// A transaction left open must not hold up the drop.
		conn, err := pgx.Connect(t.Context(), first)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Exec(t.Context(), "BEGIN; CREATE TABLE held (id int)"); err != nil {
			t.Fatal(err)
		}
		var collation string
		if err := conn.QueryRow(t.Context(), "SELECT datcollate FROM pg_database WHERE datname = current_database()").Scan(&collation); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(collation, "C") {
			t.Errorf("collation is %s; sorting would depend on the machine", collation)
		}
	})
	if first == "" {
		return // skipped within, which said why
	}
	server, err := url.Parse(first)
	if err != nil {
		t.Fatal(err)
	}
	server.Path = "/postgres"
	conn, err := pgx.Connect(t.Context(), server.String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	for _, address := range []string{first, second} {
		var left int
		if err := conn.QueryRow(t.Context(), "SELECT COUNT(*) FROM pg_database WHERE datname = $1", databaseName(t, address)).Scan(&left); err != nil {
			t.Fatal(err)
		}
		if left != 0 {
			t.Errorf("%s was left behind", databaseName(t, address))
		}
	}
}

func TestAWSEndpointServesS3(t *testing.T) {
	t.Parallel()
	endpoint := testservices.AWSEndpoint(t)
	client := s3.New(s3.Options{
		BaseEndpoint: aws.String(endpoint),
		Region:       "us-east-1",
		Credentials:  credentials.NewStaticCredentialsProvider("test", "test", ""),
		UsePathStyle: true,
	})
	bucket := "testservices-" + uuid.NewString()
	if _, err := client.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: &bucket}); err != nil {
		t.Fatal(err)
	}
	key := aws.String("주문.txt")
	if _, err := client.PutObject(t.Context(), &s3.PutObjectInput{Bucket: &bucket, Key: key, Body: strings.NewReader("1,000원")}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx := context.Background()
		if _, err := client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &bucket, Key: key}); err != nil {
			t.Error(err)
		}
		if _, err := client.DeleteBucket(ctx, &s3.DeleteBucketInput{Bucket: &bucket}); err != nil {
			t.Error(err)
		}
	})
	got, err := client.GetObject(t.Context(), &s3.GetObjectInput{Bucket: &bucket, Key: key})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = got.Body.Close() }()
	body, err := io.ReadAll(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(body, []byte("1,000원")) {
		t.Errorf("read %q back", body)
	}
	health, err := http.Get(endpoint + "/_localstack/health")
	if err != nil {
		t.Fatal(err)
	}
	_ = health.Body.Close()
	if health.StatusCode != http.StatusOK {
		t.Errorf("health answered %s", health.Status)
	}
}

func openMariaDB(t *testing.T, address string) *sql.DB {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	config := mysql.NewConfig()
	config.Net, config.Addr, config.User, config.DBName = "tcp", u.Host, u.User.Username(), strings.TrimPrefix(u.Path, "/")
	db, err := sql.Open("mysql", config.FormatDSN())
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func withoutDatabase(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("mysql://%s@%s/", u.User, u.Host)
}

func databaseName(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(u.Path, "/")
}
