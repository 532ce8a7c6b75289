import type { MigrationInterface, QueryRunner, TableColumnOptions, TableForeignKeyOptions } from 'typeorm';
import { Table } from 'typeorm';

/** Creates the tables of this backend, with column types that all supported databases share. */
export class CreateTables1767225600000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const table of tables()) await queryRunner.createTable(table);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of tables().reverse()) await queryRunner.dropTable(table.name);
  }
}

function tables(): Table[] {
  return [
    new Table({
      name: 'customers',
      columns: [primaryId('id'), text('name', 100), text('email', 254)],
      uniques: [{ columnNames: ['email'] }],
    }),
    new Table({
      name: 'products',
      columns: [primaryId('id'), text('sku', 40)],
      uniques: [{ columnNames: ['sku'] }],
    }),
    new Table({
      name: 'orders',
      columns: [primaryId('id'), id('customerId')],
      foreignKeys: [
        { ...reference('customerId', 'customers'), onDelete: 'NO ACTION', onUpdate: 'NO ACTION' },
      ],
      indices: [{ columnNames: ['customerId'] }],
    }),
    new Table({
      name: 'order_lines',
      columns: [
        primaryId('id'),
        id('orderId'),
        text('sku', 40),
        { name: 'quantity', type: 'integer' },
        { name: 'unitPriceCents', type: 'integer' },
      ],
      foreignKeys: [{ ...reference('orderId', 'orders'), onUpdate: 'NO ACTION' }],
      indices: [{ columnNames: ['orderId'] }],
    }),
    new Table({
      name: 'order_products',
      columns: [primaryId('orderId'), primaryId('productId')],
      foreignKeys: [reference('orderId', 'orders'), reference('productId', 'products')],
      indices: [{ columnNames: ['orderId'] }, { columnNames: ['productId'] }],
    }),
  ];
}

function id(name: string): TableColumnOptions {
  return { name, type: 'bigint' };
}

function primaryId(name: string): TableColumnOptions {
  return { ...id(name), isPrimary: true };
}

function text(name: string, length: number): TableColumnOptions {
  return { name, type: 'varchar', length: String(length) };
}

/** Returns a foreign key. By default, deleting the referenced row deletes the referring rows. */
function reference(column: string, table: string): TableForeignKeyOptions {
  return {
    columnNames: [column],
    referencedTableName: table,
    referencedColumnNames: ['id'],
    onDelete: 'CASCADE',
    onUpdate: 'CASCADE',
  };
}
