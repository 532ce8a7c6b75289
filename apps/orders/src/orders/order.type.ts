import { Field, ObjectType } from '@nestjs/graphql';
import { SnowflakeID } from 'nestjs-snowflake/graphql';

/** An order in GraphQL. Without its lines and products. */
@ObjectType('Order')
export class OrderType {
  @Field(() => SnowflakeID)
  readonly id!: string;

  @Field(() => Date, { description: 'Read from the ID' })
  readonly createdAt!: Date;

  @Field(() => SnowflakeID)
  readonly customerId!: string;

  @Field(() => String, { description: 'Sum of quantity × unitPrice' })
  readonly total!: string;
}
