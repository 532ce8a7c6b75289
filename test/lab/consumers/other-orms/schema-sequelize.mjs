// Runs every form of `sync()`, and `drop()`: node schema-sequelize.mjs <postgres | mariadb> <url>
import { DataTypes, Sequelize } from 'sequelize';
import process from 'node:process';

const [, , , url] = process.argv;
const sequelize = new Sequelize(url, { logging: false });
sequelize.define('Order', { id: { type: DataTypes.BIGINT, primaryKey: true } }, { tableName: 'orders' });
await sequelize.sync();
await sequelize.sync({ alter: true });
await sequelize.sync({ force: true });
await sequelize.drop();
await sequelize.close();
