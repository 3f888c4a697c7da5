// Command bench measures how fast workbooks are written, how much processor
// time and memory that takes, and how large they become; beside haexcel it runs
// excelize's stream writer on the same rows, and the parts that an export is
// made of. `make bench` runs it beside the servers of local/testenv.
//
// Every writer writes every shape of rows (local/bench/rows) in each of at least
// three rounds, one writer after another and in another order in each round, so
// that a machine which is busy for a while slows no writer alone. Each run is a
// process of its own: its peak memory is nobody else's. The figures printed are
// medians over the rounds.
//
// # Writers
//
//	haexcel         shared/xlsx with its default options
//	haexcel-small   the same with small files asked for
//	haexcel-1core   as haexcel, on one processor only
//	excelize        excelize's StreamWriter
//	excelize-1core  as excelize, on one processor only
//	idle            nothing: what the process itself takes
//	rows            only makes the rows
//	floor-xml       only makes the rows and their sheet XML, on one goroutine
//	floor-deflate   only deflates that XML, in blocks of 256 KiB on all cores, with
//	                the library's fastest level
//	read-…          only reads the rows from a table of that database
//	upload-s3       only stores the finished file
//	pipeline-…      a whole export: reads the table, stores the file
//
// The last three need servers, and run with the shape mixed only. Counting the
// rows, which comes before an export, is not part of it.
//
// # Figures
//
// The wall time is from before the first row until the file is closed or stored.
// CPU seconds are those of the process in that time; for reading, storing and the
// pipelines the servers' are added, which are all processes below the benchmark's
// parent but its own. Before each measurement the servers have come to rest. The
// peak is the process's greatest resident memory (VmHWM). The bytes that come out
// are those of the finished file, of floor-xml's XML, of floor-deflate's blocks.
//
// bench.json has every run, bench.md the tables; beside them stays one file of
// each shape and writer, SHAPE-ROWSxCOLS-WRITER.xlsx.
//
// Known limits: Linux only. CPU time of servers that run elsewhere is not seen;
// the output names the processes that were.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	p := program{
		servers: servers{
			mariaDB:  os.Getenv("HAEXCEL_TEST_MARIADB_URL"),
			postgres: os.Getenv("HAEXCEL_TEST_POSTGRES_URL"),
			s3:       os.Getenv("HAEXCEL_TEST_AWS_ENDPOINT"),
		},
		watch:       os.Getppid(),
		environment: os.Environ(),
		stdout:      os.Stdout,
		stderr:      os.Stderr,
	}
	code := p.run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}
