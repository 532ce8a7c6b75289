-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "orders" (
    "id" BIGINT NOT NULL,
    "customer_id" BIGINT NOT NULL,

    CONSTRAINT "orders_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "lines" (
    "id" BIGINT NOT NULL,
    "sku" TEXT NOT NULL,
    "order_id" BIGINT NOT NULL,

    CONSTRAINT "lines_pkey" PRIMARY KEY ("id")
);

-- AddForeignKey
ALTER TABLE "lines" ADD CONSTRAINT "lines_order_id_fkey" FOREIGN KEY ("order_id") REFERENCES "orders"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
