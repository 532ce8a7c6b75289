import mysql, { type PoolOptions } from 'mysql2';

/**
 * Returns the MySQL and MariaDB driver for TypeORM's option `driver`. Its connections wait for a row lock or a table
 * lock for at most `lockTimeoutMs`, rounded up to seconds. By default they wait 50 s for a row, and a day or more for a
 * table. MariaDB ends a transaction that is idle for `idleTransactionMs`.
 *
 * mysql2 has no option for session variables, so this sets them when its pool emits a new connection.
 */
export function mysqlWithLockTimeout(lockTimeoutMs: number, idleTransactionMs?: number): object {
  const seconds = Math.ceil(lockTimeoutMs / 1_000);
  const variables = [`innodb_lock_wait_timeout = ${seconds}`, `lock_wait_timeout = ${seconds}`];
  if (idleTransactionMs !== undefined) {
    variables.push(`idle_transaction_timeout = ${Math.ceil(idleTransactionMs / 1_000)}`);
  }
  const bound = `SET ${variables.map((variable) => `SESSION ${variable}`).join(', ')}`;
  return {
    ...mysql,
    createPool(options: PoolOptions) {
      const pool = mysql.createPool(options);
      pool.on('connection', (connection) => {
        connection.query(bound, (error) => {
          if (error) connection.destroy();
        });
      });
      return pool;
    },
  };
}
