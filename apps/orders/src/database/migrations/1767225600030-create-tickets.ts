import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';

/** Creates the table of support tickets. */
export class CreateTickets1767225600030 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.createTable(
      new Table({
        name: 'tickets',
        columns: [
          { name: 'number', type: 'bigint', isPrimary: true },
          { name: 'customerId', type: 'bigint' },
          { name: 'subject', type: 'varchar', length: '200' },
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('tickets');
  }
}
