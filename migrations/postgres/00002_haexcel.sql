-- +goose Up
CREATE TABLE ha_excel_chunk (
    job_id       VARCHAR(64)   NOT NULL,
    chunk_no     INT           NOT NULL,
    status       VARCHAR(20)   NOT NULL DEFAULT 'PENDING',
    key_from     TEXT          NULL,
    key_to       TEXT          NULL,
    row_count    INT           NOT NULL DEFAULT 0,
    bytes        BIGINT        NOT NULL DEFAULT 0,
    crc32        BIGINT        NOT NULL DEFAULT 0,
    file_path    VARCHAR(512)  NULL,
    attempt      INT           NOT NULL DEFAULT 0,
    failures     INT           NOT NULL DEFAULT 0,
    server_id    VARCHAR(128)  NULL,
    lease_until  BIGINT        NULL,
    as_of        BIGINT        NULL,
    error_msg    VARCHAR(1000) NULL,
    created_at   BIGINT        NOT NULL DEFAULT 0,
    updated_at   BIGINT        NOT NULL DEFAULT 0,
    started_at   BIGINT        NULL,
    completed_at BIGINT        NULL,
    PRIMARY KEY (job_id, chunk_no)
);

CREATE INDEX idx_ha_excel_chunk_lease ON ha_excel_chunk (status, lease_until);

CREATE INDEX idx_ha_excel_chunk_file ON ha_excel_chunk (file_path);

-- Rows of the Java library may hold NULL where it means 'N'.
UPDATE ha_excel_job SET cancel_yn = 'N' WHERE cancel_yn IS NULL;

ALTER TABLE ha_excel_job
    ADD COLUMN queue           VARCHAR(16)  NOT NULL DEFAULT 'normal',
    ADD COLUMN phase           VARCHAR(16)  NULL,
    ADD COLUMN attempt         INT          NOT NULL DEFAULT 0,
    ADD COLUMN failures        INT          NOT NULL DEFAULT 0,
    ADD COLUMN hops            INT          NOT NULL DEFAULT 0,
    ADD COLUMN lease_until     BIGINT       NULL,
    ADD COLUMN woken_at        BIGINT       NULL,
    ADD COLUMN swept_at        BIGINT       NULL,
    ADD COLUMN updated_at      BIGINT       NOT NULL DEFAULT 0,
    ADD COLUMN filter_hash     CHAR(64)     NULL,
    ADD COLUMN export_hash     CHAR(64)     NULL,
    ADD COLUMN active_key      CHAR(64)     NULL,
    ADD COLUMN idempotency_key CHAR(64)     NULL,
    ADD COLUMN request_id      VARCHAR(128) NULL,
    ADD COLUMN as_of           BIGINT       NULL,
    ADD COLUMN as_of_end       BIGINT       NULL,
    ADD COLUMN file_bytes      BIGINT       NOT NULL DEFAULT 0,
    ADD COLUMN checkpoint_json TEXT         NULL,
    ADD COLUMN warnings_json   TEXT         NULL,
    ADD COLUMN scope_json      TEXT         NULL,
    ADD COLUMN options_json    TEXT         NULL,
    ADD COLUMN reused_from     VARCHAR(64)  NULL;

CREATE UNIQUE INDEX uq_ha_excel_active_key ON ha_excel_job (active_key);

CREATE UNIQUE INDEX uq_ha_excel_idempotency_key ON ha_excel_job (idempotency_key);

CREATE INDEX idx_ha_excel_filter_status ON ha_excel_job (filter_hash, status);

CREATE INDEX idx_ha_excel_status_lease ON ha_excel_job (status, lease_until);

CREATE INDEX idx_ha_excel_swept ON ha_excel_job (swept_at, status);

CREATE INDEX idx_ha_excel_file ON ha_excel_job (file_path);
