import type { MigrationInterface, QueryRunner } from 'typeorm';
import { Table } from 'typeorm';

/** Creates the table of invoices. The tables of their numbers come from `nestjs-snowflake-series`. */
export class CreateInvoices1767225600020 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.createTable(
      new Table({
        name: 'invoices',
        columns: [
          { name: 'id', type: 'bigint', isPrimary: true },
          { name: 'orderId', type: 'bigint' },
          { name: 'issuedOn', type: 'date' },
          { name: 'number', type: 'varchar', length: '64' },
        ],
        uniques: [
          { name: 'invoices_by_order', columnNames: ['orderId'] },
          { name: 'invoices_by_number', columnNames: ['number'] },
        ],
        foreignKeys: [
          {
            columnNames: ['orderId'],
            referencedTableName: 'orders',
            referencedColumnNames: ['id'],
            onDelete: 'NO ACTION',
            onUpdate: 'NO ACTION',
          },
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('invoices');
  }
}
