import { createRequire } from 'node:module';
import { graphql, GraphQLObjectType, GraphQLSchema, version } from 'graphql';
import { SnowflakeID } from 'nestjs-snowflake/graphql';

const required = createRequire(import.meta.url)('nestjs-snowflake/graphql');
const ID = '382475217496248322';
const args = { id: { type: SnowflakeID } };
const fields = {
  echo: { type: SnowflakeID, args, resolve: (_, { id }) => BigInt(id) },
  rounded: { type: SnowflakeID, resolve: () => Number(ID) },
};
const schema = new GraphQLSchema({ query: new GraphQLObjectType({ name: 'Query', fields }) });
const ask = (source, variableValues) => graphql({ schema, source, variableValues });
const query = 'query ($id: SnowflakeID) { echo(id: $id) }';
const answers = [
  await ask(`{ echo(id: "${ID}") }`),
  await ask(query, { id: ID }),
  await ask(`{ echo(id: ${ID}) }`),
  await ask(query, { id: Number(ID) }),
  await ask('{ rounded }'),
];
const isOne = required.SnowflakeID === SnowflakeID;
process.stdout.write(JSON.stringify({ version, isOne, answers }));
