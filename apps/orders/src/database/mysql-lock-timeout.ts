import mysql, { type PoolOptions } from 'mysql2';

/**
 * The driver of MySQL and MariaDB for TypeORM's option `driver`. Its connections wait for a row, or for a table that
 * somebody alters, no longer than `lockTimeoutMs`, rounded up to seconds. By default they wait 50 s and a day or more.
 *
 * No option of mysql2 sets a session variable. Its pool tells of each new connection before anybody uses it.
 */
export function mysqlWithLockTimeout(lockTimeoutMs: number): object {
  const seconds = Math.ceil(lockTimeoutMs / 1_000);
  const bound = `SET SESSION innodb_lock_wait_timeout = ${seconds}, SESSION lock_wait_timeout = ${seconds}`;
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
