-- Widens the keys of large tables on PostgreSQL while the app runs, instead of step 1 of docs/guides/migrating-from-auto-increment.md,
-- "Large tables on PostgreSQL, online". In the example, orders refers to customers with the foreign key orders_customer. Run the parts in
-- this order, with `find`, `fill` and `count` once more for orders before `orders: prepare`. With more tables, begin with those that others
-- refer to.
--
-- To go back before the swap, drop the triggers, their functions and the new columns, those of orders first.

-- # session
-- At the beginning of each session of psql. If a statement fails with `canceling statement due to lock timeout`, repeat it. Within
-- BEGIN … COMMIT, roll back and repeat the whole block. Keep lock_timeout below deadlock_timeout (1 s by default), so that the
-- migration fails instead of the app.
SET lock_timeout = '500ms';

-- # customers: add
-- A trigger fills the new column in every row that the app writes.
BEGIN;
ALTER TABLE customers ADD COLUMN new_id bigint;
CREATE FUNCTION customers_widen() RETURNS trigger LANGUAGE plpgsql AS
  'BEGIN NEW.new_id := NEW.id; RETURN NEW; END';
CREATE TRIGGER customers_widen BEFORE INSERT OR UPDATE ON customers FOR EACH ROW EXECUTE FUNCTION customers_widen();
COMMIT;

-- # find
-- An index of the rows that are left to fill.
SET lock_timeout = 0;
CREATE INDEX CONCURRENTLY customers_to_fill ON customers (id) WHERE new_id IS NULL;
SET lock_timeout = '500ms';

-- # fill
-- Repeat it until it updates 0 rows and `count` returns 0. It skips rows that the app has locked. Or save it as fill.sql, below the
-- statement of `session`, and let the shell repeat it:
--   until psql -f fill.sql "$DATABASE_URL" | grep -q '^UPDATE 0$'; do sleep 0.05; done
UPDATE customers SET id = id
WHERE id IN (SELECT id FROM customers WHERE new_id IS NULL LIMIT 1000 FOR UPDATE SKIP LOCKED);

-- # count
SELECT count(*) FROM customers WHERE new_id IS NULL;

-- # customers: prepare
ALTER TABLE customers ADD CONSTRAINT customers_filled CHECK (new_id IS NOT NULL) NOT VALID;
ALTER TABLE customers VALIDATE CONSTRAINT customers_filled;
SET lock_timeout = 0;
CREATE UNIQUE INDEX CONCURRENTLY customers_new_pkey ON customers (new_id);
DROP INDEX CONCURRENTLY customers_to_fill;
SET lock_timeout = '500ms';

-- # orders: add
BEGIN;
ALTER TABLE orders ADD COLUMN new_id bigint, ADD COLUMN new_customer_id bigint;
CREATE FUNCTION orders_widen() RETURNS trigger LANGUAGE plpgsql AS
  'BEGIN NEW.new_id := NEW.id; NEW.new_customer_id := NEW.customer_id; RETURN NEW; END';
CREATE TRIGGER orders_widen BEFORE INSERT OR UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION orders_widen();
COMMIT;

-- # orders: prepare
-- If the reference may be NULL, omit the second half of the check, and the SET NOT NULL of the reference in the swap. Repeat the
-- ON DELETE and ON UPDATE of the old foreign key in the new one. Recreate every other index of the old columns on the new ones.
ALTER TABLE orders ADD CONSTRAINT orders_filled
  CHECK (new_id IS NOT NULL AND new_customer_id IS NOT NULL) NOT VALID;
ALTER TABLE orders VALIDATE CONSTRAINT orders_filled;
SET lock_timeout = 0;
CREATE UNIQUE INDEX CONCURRENTLY orders_new_pkey ON orders (new_id);
DROP INDEX CONCURRENTLY orders_to_fill;
SET lock_timeout = '500ms';
ALTER TABLE orders ADD CONSTRAINT orders_new_customer
  FOREIGN KEY (new_customer_id) REFERENCES customers (new_id) NOT VALID;
ALTER TABLE orders VALIDATE CONSTRAINT orders_new_customer;

-- # swap
-- Changes only the catalog, so it is fast. It is written for serial keys, which TypeORM creates by default. A view on one of the
-- columns blocks it: drop the view in this transaction, and create it again.
BEGIN;
LOCK TABLE customers, orders;
DROP TRIGGER customers_widen ON customers;
DROP TRIGGER orders_widen ON orders;
DROP FUNCTION customers_widen, orders_widen;
ALTER SEQUENCE customers_id_seq OWNED BY customers.new_id;
ALTER SEQUENCE orders_id_seq OWNED BY orders.new_id;
ALTER TABLE orders ALTER COLUMN new_id SET NOT NULL, ALTER COLUMN new_customer_id SET NOT NULL;
ALTER TABLE orders DROP COLUMN customer_id, DROP COLUMN id, DROP CONSTRAINT orders_filled;
ALTER TABLE orders RENAME COLUMN new_id TO id;
ALTER TABLE orders RENAME COLUMN new_customer_id TO customer_id;
ALTER TABLE orders RENAME CONSTRAINT orders_new_customer TO orders_customer;
ALTER TABLE orders ALTER COLUMN id SET DEFAULT nextval('orders_id_seq'),
  ADD CONSTRAINT orders_pkey PRIMARY KEY USING INDEX orders_new_pkey;
ALTER TABLE customers ALTER COLUMN new_id SET NOT NULL;
ALTER TABLE customers DROP COLUMN id, DROP CONSTRAINT customers_filled;
ALTER TABLE customers RENAME COLUMN new_id TO id;
ALTER TABLE customers ALTER COLUMN id SET DEFAULT nextval('customers_id_seq'),
  ADD CONSTRAINT customers_pkey PRIMARY KEY USING INDEX customers_new_pkey;
COMMIT;
