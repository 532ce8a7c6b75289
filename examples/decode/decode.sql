-- decode.sql

-- PostgreSQL
SELECT id,
       to_timestamp(((id >> 22) + 1704067200000) / 1000.0) AS created_at,
       (id >> 12) & 1023 AS worker_id,
       id & 4095 AS sequence
FROM invoices;

-- MySQL and MariaDB, in UTC
SELECT id,
       TIMESTAMP '1970-01-01 00:00:00' + INTERVAL ((id >> 22) + 1704067200000) * 1000 MICROSECOND AS created_at,
       (id >> 12) & 1023 AS worker_id,
       id & 4095 AS sequence
FROM invoices;

-- SQLite, in UTC
SELECT id,
       strftime('%Y-%m-%d %H:%M:%f', ((id >> 22) + 1704067200000) / 1000.0, 'unixepoch') AS created_at,
       (id >> 12) & 1023 AS worker_id,
       id & 4095 AS sequence
FROM invoices;
