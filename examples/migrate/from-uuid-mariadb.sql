-- Gives the rows of MariaDB 10.6 or later new keys next to their UUIDs: the steps of docs/guides/migrating-from-uuid.md. The tables are
-- customers (id, name, created_at) and orders (id, reference, created_at, and customer_id with the foreign key orders_customer). Run the
-- parts in this order. Before `customers: add`, create the sequence that oldVersionKeys() of the page returns.

-- # session
-- At the beginning of each session. If a statement fails with `Lock wait timeout exceeded`, run it again until it succeeds. If your key
-- has another type than uuid, such as varchar(36), write that type here and in `list`, `drop` and `swap`.
SET SESSION lock_wait_timeout = 0;
SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED;
CREATE TEMPORARY TABLE batch (new_id bigint PRIMARY KEY, id uuid NOT NULL);

-- # customers: add
-- Step 1: the new key of customers.
ALTER TABLE customers ADD COLUMN snowflake_id bigint, ALTER COLUMN id SET DEFAULT (UUID()), ALGORITHM = INSTANT;
ALTER TABLE customers ALTER COLUMN snowflake_id SET DEFAULT (NEXTVAL(old_version_keys)), ALGORITHM = INSTANT;

-- # list
-- Lists the older rows. Then call newKeys(dataSource, ids, 'customers').
CREATE TABLE customers_rows (position bigint PRIMARY KEY) AS
  SELECT ROW_NUMBER() OVER (ORDER BY created_at, id) AS position, id, created_at FROM customers WHERE snowflake_id IS NULL;
CREATE TABLE customers_keys (new_id bigint PRIMARY KEY, id uuid NOT NULL);

-- # fill
-- Repeat it until it changes 0 rows and `count` returns 0.
BEGIN;
DELETE FROM batch;
INSERT INTO batch
  SELECT STRAIGHT_JOIN new_id, customers.id FROM customers_keys JOIN customers USING (id)
  ORDER BY new_id LIMIT 1000 FOR UPDATE SKIP LOCKED;
UPDATE batch STRAIGHT_JOIN customers ON customers.id = batch.id SET snowflake_id = new_id;
DELETE customers_keys FROM batch JOIN customers_keys USING (new_id);
COMMIT;

-- # count
SELECT COUNT(*) FROM customers WHERE snowflake_id IS NULL;

-- # prepare
DROP TABLE IF EXISTS customers_keys, customers_rows;
ALTER TABLE customers ADD UNIQUE INDEX IF NOT EXISTS customers_snowflake_id (snowflake_id), ALGORITHM = INPLACE, LOCK = NONE;

-- # orders: add
-- Step 2: the new key of orders, the new reference and its triggers. Then run `list` and newKeys() with orders instead of customers.
ALTER TABLE orders ADD COLUMN snowflake_id bigint, ADD COLUMN customer_snowflake_id bigint,
  ALTER COLUMN id SET DEFAULT (UUID()), ALGORITHM = INSTANT;
CREATE TRIGGER orders_reference_insert BEFORE INSERT ON orders FOR EACH ROW SET
  NEW.customer_snowflake_id = COALESCE(NEW.customer_snowflake_id,
    (SELECT snowflake_id FROM customers WHERE id = NEW.customer_id LOCK IN SHARE MODE)),
  NEW.customer_id = (SELECT id FROM customers WHERE snowflake_id = NEW.customer_snowflake_id LOCK IN SHARE MODE);
CREATE TRIGGER orders_reference_update BEFORE UPDATE ON orders FOR EACH ROW SET
  NEW.customer_snowflake_id = IF(NEW.customer_snowflake_id <=> OLD.customer_snowflake_id,
    (SELECT snowflake_id FROM customers WHERE id = NEW.customer_id LOCK IN SHARE MODE), NEW.customer_snowflake_id),
  NEW.customer_id = (SELECT id FROM customers WHERE snowflake_id = NEW.customer_snowflake_id LOCK IN SHARE MODE);
ALTER TABLE orders ALTER COLUMN snowflake_id SET DEFAULT (NEXTVAL(old_version_keys)), ALGORITHM = INSTANT;

-- # orders: fill
-- Also locks the customers for the trigger. If the reference may be NULL, fill once more without the line JOIN customers. Then run
-- `count` and `prepare` with orders.
BEGIN;
DELETE FROM batch;
INSERT INTO batch
  SELECT STRAIGHT_JOIN new_id, orders.id FROM orders_keys JOIN orders USING (id)
  JOIN customers ON customers.id = orders.customer_id
  ORDER BY new_id LIMIT 1000 FOR UPDATE SKIP LOCKED;
UPDATE batch STRAIGHT_JOIN orders ON orders.id = batch.id SET snowflake_id = new_id;
DELETE orders_keys FROM batch JOIN orders_keys USING (new_id);
COMMIT;

-- # orders: refer
-- Add the ON DELETE of your old foreign key. MariaDB doesn't check existing rows, so the last statement looks for rows without a
-- customer. It must return none, except rows whose reference is NULL. Then deploy the new version.
ALTER TABLE orders ADD INDEX IF NOT EXISTS orders_customer_snowflake (customer_snowflake_id), ALGORITHM = INPLACE, LOCK = NONE;
SET SESSION foreign_key_checks = 0;
ALTER TABLE orders ADD CONSTRAINT orders_customer_snowflake FOREIGN KEY (customer_snowflake_id)
  REFERENCES customers (snowflake_id), ALGORITHM = INPLACE, LOCK = NONE;
SET SESSION foreign_key_checks = 1;
SELECT orders.id FROM orders LEFT JOIN customers ON customers.snowflake_id = customer_snowflake_id
WHERE customers.id IS NULL LIMIT 10;

-- # drop
-- Step 4, when the last process of the old version is gone: drops the old reference.
ALTER TABLE orders DROP FOREIGN KEY orders_customer;
ALTER TABLE orders MODIFY customer_id uuid NULL;
DROP TRIGGER orders_reference_insert;
DROP TRIGGER orders_reference_update;
ALTER TABLE orders DROP COLUMN customer_id;

-- # swap
-- Copies each table while traffic continues. If a transaction of the app is open when the copy ends, the statement fails, and the next
-- attempt copies again. For a large table, choose a quiet hour. Or set lock_wait_timeout = 1, and let the app retry transactions that
-- MariaDB cancels with a deadlock error. If the reference may be NULL, write customer_snowflake_id bigint NULL. After the swap, new rows have
-- no UUID.
ALTER TABLE orders MODIFY id uuid NULL, MODIFY snowflake_id bigint NOT NULL, MODIFY customer_snowflake_id bigint NOT NULL,
  DROP PRIMARY KEY, ADD PRIMARY KEY (snowflake_id), ADD UNIQUE INDEX orders_uuid (id), ALGORITHM = INPLACE, LOCK = NONE;
ALTER TABLE customers MODIFY id uuid NULL, MODIFY snowflake_id bigint NOT NULL,
  DROP PRIMARY KEY, ADD PRIMARY KEY (snowflake_id), ADD UNIQUE INDEX customers_uuid (id), ALGORITHM = INPLACE, LOCK = NONE;
DROP SEQUENCE old_version_keys;

-- # undo
-- Not one of the steps: removes what steps 1 and 2 have added, except the default of id. Only the old version may run. After `drop`, the
-- ALTER TABLE orders fails: don't run the statements below it then.
DROP TRIGGER IF EXISTS orders_reference_insert;
DROP TRIGGER IF EXISTS orders_reference_update;
ALTER TABLE orders RENAME COLUMN customer_id TO customer_id, DROP FOREIGN KEY IF EXISTS orders_customer_snowflake,
  DROP COLUMN IF EXISTS customer_snowflake_id, DROP COLUMN IF EXISTS snowflake_id;
ALTER TABLE customers DROP COLUMN IF EXISTS snowflake_id;
DROP TABLE IF EXISTS customers_keys, customers_rows, orders_keys, orders_rows;
DROP SEQUENCE IF EXISTS old_version_keys;
