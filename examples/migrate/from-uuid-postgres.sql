-- Gives the rows of PostgreSQL new keys next to their UUIDs: the steps of docs/guides/migrating-from-uuid.md. The tables are
-- customers (id, name, created_at) and orders (id, reference, created_at, and customer_id with the foreign key orders_customer). Run the
-- parts in this order. Before `customers: add`, create the sequence that oldVersionKeys() of the page returns.
--
-- If a statement fails with `canceling statement due to lock timeout`, repeat it. Within BEGIN … COMMIT, roll back and repeat the whole
-- block. Keep lock_timeout below deadlock_timeout (1 s by default), so that the migration fails instead of the app. Only statements with
-- CONCURRENTLY may wait.

-- # customers: add
-- Step 1: the new key of customers. Omit the statement with gen_random_uuid() if the old keys are numbers, here and in `orders: add`.
SET lock_timeout = '500ms';
BEGIN;
ALTER TABLE customers ALTER COLUMN id SET DEFAULT gen_random_uuid();
ALTER TABLE customers ADD COLUMN snowflake_id bigint;
ALTER TABLE customers ALTER COLUMN snowflake_id SET DEFAULT nextval('old_version_keys');
COMMIT;

-- # list
-- Lists the older rows. Then call newKeys(dataSource, ids, 'customers').
CREATE TABLE customers_rows AS
  SELECT row_number() OVER (ORDER BY created_at, id) AS position, id, created_at FROM customers WHERE snowflake_id IS NULL;
ALTER TABLE customers_rows ADD PRIMARY KEY (position);
CREATE TABLE customers_keys AS SELECT snowflake_id AS new_id, id FROM customers LIMIT 0;
ALTER TABLE customers_keys ADD PRIMARY KEY (new_id);

-- # fill
-- Repeat it until it deletes 0 rows and `count` returns 0. It skips rows that the app has locked. Or save it as fill.sql, and let the
-- shell repeat it:
--   until psql -f fill.sql "$DATABASE_URL" | grep -q '^DELETE 0$'; do sleep 0.05; done
WITH batch AS (
  SELECT new_id, id FROM customers_keys JOIN customers USING (id)
  ORDER BY new_id LIMIT 1000 FOR UPDATE OF customers SKIP LOCKED
), filled AS (
  UPDATE customers SET snowflake_id = new_id FROM batch WHERE customers.id = batch.id RETURNING new_id
)
DELETE FROM customers_keys USING filled WHERE customers_keys.new_id = filled.new_id;

-- # count
SELECT count(*) FROM customers WHERE snowflake_id IS NULL;

-- # prepare
DROP TABLE IF EXISTS customers_keys, customers_rows;
ALTER TABLE customers ADD CONSTRAINT customers_filled CHECK (snowflake_id IS NOT NULL) NOT VALID;
ALTER TABLE customers VALIDATE CONSTRAINT customers_filled;
SET lock_timeout = 0;
CREATE UNIQUE INDEX CONCURRENTLY customers_snowflake_id ON customers (snowflake_id);
CREATE UNIQUE INDEX CONCURRENTLY customers_uuid ON customers (id);

-- # orders: add
-- Step 2: the new key of orders, the new reference and its trigger. Then run `list`, newKeys(), `fill`, `count` and `prepare` with orders
-- instead of customers.
SET lock_timeout = '500ms';
BEGIN;
ALTER TABLE orders ALTER COLUMN id SET DEFAULT gen_random_uuid();
ALTER TABLE orders ADD COLUMN snowflake_id bigint, ADD COLUMN customer_snowflake_id bigint;
ALTER TABLE orders ALTER COLUMN snowflake_id SET DEFAULT nextval('old_version_keys');
CREATE FUNCTION orders_reference() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' AND NEW.customer_snowflake_id IS NULL
    OR TG_OP = 'UPDATE' AND NEW.customer_snowflake_id IS NOT DISTINCT FROM OLD.customer_snowflake_id
  THEN NEW.customer_snowflake_id := (SELECT snowflake_id FROM customers WHERE id = NEW.customer_id);
  ELSE NEW.customer_id := (SELECT id FROM customers WHERE snowflake_id = NEW.customer_snowflake_id);
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER orders_reference BEFORE INSERT OR UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION orders_reference();
COMMIT;

-- # orders: refer
-- Add the ON DELETE of your old foreign key. If the reference may be NULL, omit orders_referenced. If orders_referenced finds a row without
-- a customer, run UPDATE orders SET customer_id = customer_id WHERE customer_snowflake_id IS NULL. Then deploy the new version.
CREATE INDEX CONCURRENTLY orders_customer_snowflake_id ON orders (customer_snowflake_id);
SET lock_timeout = '500ms';
ALTER TABLE orders ADD CONSTRAINT orders_referenced CHECK (customer_snowflake_id IS NOT NULL) NOT VALID,
  ADD CONSTRAINT orders_customer_snowflake
    FOREIGN KEY (customer_snowflake_id) REFERENCES customers (snowflake_id) NOT VALID;
ALTER TABLE orders VALIDATE CONSTRAINT orders_referenced, VALIDATE CONSTRAINT orders_customer_snowflake;

-- # swap
-- Step 4, when the last process of the old version is gone. It is fast, however large the tables are. If the reference may be NULL, omit
-- its SET NOT NULL and the DROP of orders_referenced. After the swap, new rows have no UUID.
SET lock_timeout = '500ms';
BEGIN;
LOCK TABLE customers, orders;
DROP FUNCTION orders_reference CASCADE;
ALTER TABLE orders ALTER COLUMN snowflake_id SET NOT NULL, ALTER COLUMN customer_snowflake_id SET NOT NULL;
ALTER TABLE orders DROP COLUMN customer_id, DROP CONSTRAINT orders_pkey, DROP CONSTRAINT orders_filled,
  DROP CONSTRAINT orders_referenced, ALTER COLUMN id DROP DEFAULT, ALTER COLUMN snowflake_id DROP DEFAULT;
ALTER TABLE orders ALTER COLUMN id DROP NOT NULL,
  ADD CONSTRAINT orders_pkey PRIMARY KEY USING INDEX orders_snowflake_id;
ALTER TABLE customers ALTER COLUMN snowflake_id SET NOT NULL;
ALTER TABLE customers DROP CONSTRAINT customers_pkey, DROP CONSTRAINT customers_filled,
  ALTER COLUMN id DROP DEFAULT, ALTER COLUMN snowflake_id DROP DEFAULT;
ALTER TABLE customers ALTER COLUMN id DROP NOT NULL,
  ADD CONSTRAINT customers_pkey PRIMARY KEY USING INDEX customers_snowflake_id;
DROP SEQUENCE old_version_keys;
COMMIT;

-- # undo
-- Not one of the steps: removes what steps 1 and 2 have added, except the default of id. Only the old version may run. After `swap`, it
-- fails and changes nothing.
SET lock_timeout = '500ms';
BEGIN;
SELECT customer_id FROM orders LIMIT 0;
LOCK TABLE customers, orders;
DROP FUNCTION IF EXISTS orders_reference CASCADE;
ALTER TABLE orders DROP COLUMN IF EXISTS snowflake_id, DROP COLUMN IF EXISTS customer_snowflake_id;
ALTER TABLE customers DROP COLUMN IF EXISTS snowflake_id;
DROP INDEX IF EXISTS customers_uuid, orders_uuid;
DROP TABLE IF EXISTS customers_keys, customers_rows, orders_keys, orders_rows;
DROP SEQUENCE IF EXISTS old_version_keys;
COMMIT;
