-- +goose Up
-- The statements stand in this order so that the one ALTER of the job table,
-- which cannot be repeated, comes last.
CREATE TABLE IF NOT EXISTS ha_excel_chunk (
    job_id       VARCHAR(64)   NOT NULL,
    chunk_no     INT           NOT NULL,
    status       VARCHAR(20)   NOT NULL DEFAULT 'PENDING',
    key_from     LONGTEXT      NULL,
    key_to       LONGTEXT      NULL,
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
    PRIMARY KEY (job_id, chunk_no),
    INDEX idx_ha_excel_chunk_lease (status, lease_until),
    INDEX idx_ha_excel_chunk_file (file_path(191))
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- Rows of the Java library may hold NULL where it means 'N'.
UPDATE ha_excel_job SET cancel_yn = 'N' WHERE cancel_yn IS NULL;

-- Ids and JSON get the binary collation: kim and KIM are two users. It still
-- pads with blanks, so the statements compare ids a second time as BINARY.
ALTER TABLE ha_excel_job
    MODIFY job_id       VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    MODIFY biz_nm       VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    MODIFY worker       VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    MODIFY server_id    VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
    MODIFY file_path    VARCHAR(512) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
    MODIFY params_json  LONGTEXT     CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
    MODIFY columns_json LONGTEXT     CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
    MODIFY template_id  VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
    ADD COLUMN queue           VARCHAR(16)  CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT 'normal',
    ADD COLUMN phase           VARCHAR(16)  CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
    ADD COLUMN attempt         INT          NOT NULL DEFAULT 0,
    ADD COLUMN failures        INT          NOT NULL DEFAULT 0,
    ADD COLUMN hops            INT          NOT NULL DEFAULT 0,
    ADD COLUMN lease_until     BIGINT       NULL,
    ADD COLUMN woken_at        BIGINT       NULL,
    ADD COLUMN swept_at        BIGINT       NULL,
    ADD COLUMN updated_at      BIGINT       NOT NULL DEFAULT 0,
    ADD COLUMN filter_hash     CHAR(64)     CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
    ADD COLUMN export_hash     CHAR(64)     CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
    ADD COLUMN active_key      CHAR(64)     CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
    ADD COLUMN idempotency_key CHAR(64)     CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
    ADD COLUMN request_id      VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
    ADD COLUMN as_of           BIGINT       NULL,
    ADD COLUMN as_of_end       BIGINT       NULL,
    ADD COLUMN file_bytes      BIGINT       NOT NULL DEFAULT 0,
    ADD COLUMN checkpoint_json LONGTEXT     CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
    ADD COLUMN warnings_json   LONGTEXT     CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
    ADD COLUMN scope_json      LONGTEXT     CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
    ADD COLUMN options_json    LONGTEXT     CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
    ADD COLUMN reused_from     VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
    ADD UNIQUE INDEX uq_ha_excel_active_key (active_key),
    ADD UNIQUE INDEX uq_ha_excel_idempotency_key (idempotency_key),
    ADD INDEX idx_ha_excel_filter_status (filter_hash, status),
    ADD INDEX idx_ha_excel_status_lease (status, lease_until),
    ADD INDEX idx_ha_excel_file (file_path(191));
