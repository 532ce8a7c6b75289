const { snowflakeColumn, snowflakeIdColumn, snowflakeSchema } = require('nestjs-snowflake/typeorm');
const { EntitySchema } = require('typeorm');

exports.OrderSchema = snowflakeSchema(
  new EntitySchema({
    name: 'Order',
    tableName: 'orders',
    columns: { id: snowflakeIdColumn(), customerId: snowflakeColumn() },
  }),
);
