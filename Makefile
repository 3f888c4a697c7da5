# Every step of CI is a target here. `make help` lists them.

SHELL := /bin/bash
.DEFAULT_GOAL := help

# The linter is built from source by Go, in this version, on first use.
GOLANGCI := go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

# What `make export` exports.
DATASET ?= orders

# A variable's text as one word for the shell, whatever is in it.
quoted = '$(subst ','\'',$(value $(1)))'

# RACE=1 runs the tests with the race detector, which needs a C compiler.
RACE ?=
# TEST_FLAGS are passed on to `go test`, PACKAGES are what it tests.
TEST_FLAGS ?=
PACKAGES ?= ./...
GO_TEST = go test $(PACKAGES) -count=1 -timeout 20m $(if $(filter 1 true,$(RACE)),-race) $(TEST_FLAGS)

# The program that starts the servers which the tests need. It is built rather
# than run by `go run`, whose exit code is not the command's.
TESTENV := build/testenv

# The local program. It is built rather than run by `go run`, which lives on
# beside it and answers a signal with a failure of its own.
HAEXCEL := build/haexcel

# What `make bench` measures and where it puts the results.
BENCH := build/haexcel-bench
BENCH_CHECK := build/haexcel-bench-check
BENCH_ROWS ?= 1000000
BENCH_COLS ?= 10
BENCH_OUT ?= build/bench
BENCH_ROUNDS ?= 3
BENCH_SHAPES ?= all
BENCH_WRITERS ?= all

# What `make chaos` breaks, for how long, and what decides how.
CHAOS := build/haexcel-chaos
DATABASE ?= mariadb
MINUTES ?= 2
SEED ?= 1
JOBS ?=
WORKERS ?=

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: $(HAEXCEL) ## Serve the API on port 8080 with demo orders, in one process: DEMO_ROWS=1000000
	@exec $(HAEXCEL) serve --demo

.PHONY: export
export: $(HAEXCEL) ## Export one dataset to a file: DATASET=orders OUT=orders.xlsx PARAMS='{"status":"02"}' DEMO_ROWS=1000000
	@exec $(HAEXCEL) export --dataset $(call quoted,DATASET) $(if $(OUT),--out $(call quoted,OUT)) $(if $(PARAMS),--params $(call quoted,PARAMS)) $(if $(DEMO_ROWS),--demo-rows $(call quoted,DEMO_ROWS))

.PHONY: migrate
migrate: $(HAEXCEL) ## Bring the job database that HAEXCEL_DATABASE_URL names up to date
	@exec $(HAEXCEL) migrate

.PHONY: build
build: ## Compile everything
	go build ./...

.PHONY: test
test: $(TESTENV) ## Vet, then run all tests beside real servers and other readers of workbooks: RACE=1 TEST_FLAGS='-run Claim' PACKAGES=./shared/job/...
	@go vet $(PACKAGES)
	@$(TESTENV) -- $(GO_TEST)

.PHONY: cover
cover: $(TESTENV) ## Run all tests and report what they cover, in build/cover.html
	@$(TESTENV) -- $(GO_TEST) -coverpkg=./shared/... -coverprofile=build/cover.out
	@go tool cover -html=build/cover.out -o build/cover.html
	@go tool cover -func=build/cover.out | tail -1

.PHONY: lint
lint: ## Check style and go.mod
	@$(GOLANGCI) run
	@go mod tidy -diff

.PHONY: fmt
fmt: ## Format all Go files
	@$(GOLANGCI) fmt

.PHONY: clean
clean: ## Remove what the targets built
	@rm -rf build

.PHONY: measure
measure: ## Measure the peak memory of a serving process: one export of 100,000 or 1,000,000 rows, then six at once
	@go run ./local/measure

.PHONY: bench
bench: $(BENCH) $(TESTENV) ## Compare writers and whole exports: BENCH_ROWS=1000000 BENCH_COLS=10 BENCH_OUT=build/bench BENCH_ROUNDS=3 BENCH_SHAPES=all (or mixed,wide,…) BENCH_WRITERS=all (or haexcel,excelize,…)
	@$(TESTENV) -only mariadb,postgres,localstack -- $(BENCH) \
		-rows $(call quoted,BENCH_ROWS) -cols $(call quoted,BENCH_COLS) -out $(call quoted,BENCH_OUT) \
		-rounds $(call quoted,BENCH_ROUNDS) -shapes $(call quoted,BENCH_SHAPES) -writers $(call quoted,BENCH_WRITERS)

.PHONY: bench-check
bench-check: $(BENCH_CHECK) $(TESTENV) ## Compare every cell that haexcel wrote in `make bench` with the rows, by xlsxtest, openpyxl and LibreOffice: BENCH_OUT=build/bench
	@$(TESTENV) -only libreoffice,openpyxl -- $(BENCH_CHECK) $(call quoted,BENCH_OUT)

.PHONY: chaos
chaos: $(CHAOS) $(TESTENV) ## Kill, pause, lose and break everything, then check every job: DATABASE=mariadb (or postgres) MINUTES=2 SEED=1 JOBS=120 WORKERS=4
	@$(TESTENV) -control -only $(call quoted,DATABASE),localstack -- $(CHAOS) -database $(call quoted,DATABASE) \
		-minutes $(call quoted,MINUTES) -seed $(call quoted,SEED) $(if $(JOBS),-jobs $(call quoted,JOBS)) $(if $(WORKERS),-workers $(call quoted,WORKERS))

.PHONY: $(HAEXCEL)
$(HAEXCEL):
	@test -e $@ || echo 'building haexcel, the first time takes a minute or two' >&2
	@go build -o $@ ./local

.PHONY: $(BENCH)
$(BENCH):
	@go build -o $@ ./local/bench

.PHONY: $(BENCH_CHECK)
$(BENCH_CHECK):
	@go build -o $@ ./local/benchcheck

.PHONY: $(CHAOS)
$(CHAOS):
	@go build -o $@ ./local/chaos

.PHONY: $(TESTENV)
$(TESTENV):
	@go build -o $@ ./local/testenv
