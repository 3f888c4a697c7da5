package main

import (
	"context"
	"slices"
)

// The names of the writers.
const (
	haexcel         = "haexcel"
	haexcelSmall    = "haexcel-small"
	haexcelOneCore  = "haexcel-1core"
	excelizeStream  = "excelize"
	excelizeOneCore = "excelize-1core"
	idle            = "idle"
	rowsAlone       = "rows"
	floorXML        = "floor-xml"
	floorDeflate    = "floor-deflate"
	readMariaDB     = "read-mariadb"
	readPostgres    = "read-postgres"
	uploadS3        = "upload-s3"
	pipelineMariaDB = "pipeline-mariadb"
	pipelinePG      = "pipeline-postgres"
)

// A need is a server that a writer works with.
type need string

const (
	needMariaDB  need = "mariadb"
	needPostgres need = "postgres"
	needS3       need = "s3"
)

// A writer is one of the things that are compared.
type writer struct {
	name    string
	oneCore bool // runs on one processor
	limited bool // to the rows of one sheet
	file    bool // makes a workbook
	needs   []need
	open    func(ctx context.Context, j job) (subject, error)
}

// A subject is a writer that is ready to be measured once.
type subject interface {
	// run is what is measured. It returns the bytes that came out, 0 where there
	// are none.
	run(ctx context.Context) (bytes int64, err error)
	// close ends it and leaves nothing behind but the file of the job.
	close(ctx context.Context) error
}

// writers in the order of the first round: upload-s3 stores the file of haexcel,
// which comes before it.
var writers = []writer{
	{name: haexcel, file: true, open: openHaexcel},
	{name: haexcelSmall, file: true, open: openHaexcelSmall},
	{name: haexcelOneCore, oneCore: true, file: true, open: openHaexcel},
	{name: excelizeStream, limited: true, file: true, open: openExcelize},
	{name: excelizeOneCore, oneCore: true, limited: true, file: true, open: openExcelize},
	{name: idle, open: openIdle},
	{name: rowsAlone, open: openRows},
	{name: floorXML, open: openFloorXML},
	{name: floorDeflate, open: openFloorDeflate},
	{name: readMariaDB, needs: []need{needMariaDB}, open: openRead},
	{name: readPostgres, needs: []need{needPostgres}, open: openRead},
	{name: uploadS3, needs: []need{needS3}, open: openUpload},
	{name: pipelineMariaDB, file: true, needs: []need{needMariaDB, needS3}, open: openPipeline},
	{name: pipelinePG, file: true, needs: []need{needPostgres, needS3}, open: openPipeline},
}

func writerNames() (names []string) {
	for _, w := range writers {
		names = append(names, w.name)
	}
	return names
}

func writerNamed(name string) (writer, bool) {
	at := slices.IndexFunc(writers, func(w writer) bool { return w.name == name })
	if at < 0 {
		return writer{}, false
	}
	return writers[at], true
}

// remote reports whether servers work for it too.
func (w writer) remote() bool { return len(w.needs) > 0 }

// lacks says why a writer can't run a case; "" means that it can.
func (w writer) lacks(c benchCase, there servers) string {
	if w.limited && c.rows > sheetRows {
		return "it writes no second sheet"
	}
	for _, n := range w.needs {
		if there.address(n) == "" {
			return "there is no " + string(n)
		}
	}
	return ""
}

func (s servers) address(n need) string {
	switch n {
	case needMariaDB:
		return s.mariaDB
	case needPostgres:
		return s.postgres
	default:
		return s.s3
	}
}
