import { Directive, Field, InputType, ObjectType } from '@nestjs/graphql';
import { IsOptional } from 'class-validator';
import { LeaseExhaustedError } from 'nestjs-snowflake';
import { SnowflakeID, snowflakeIdScalar } from 'nestjs-snowflake/graphql';
import { IsSnowflakeId } from 'nestjs-snowflake/validation';
import { hiddenInvoiceId } from '../hidden-id.js';

export const ID_MADE = '382475217496248322';
export const OTHER_ID = '382475217496248323';
/** 2026-11-21T10:19:57.897Z, the time in ID_MADE. */
const MADE_MS = Date.parse('2026-11-21T10:19:57.897Z');

export const InvoiceID = snowflakeIdScalar({ name: 'InvoiceID', codec: hiddenInvoiceId });
export const RecentID = snowflakeIdScalar({ name: 'RecentID', madeFrom: MADE_MS + 1 });

@ObjectType()
@Directive('@key(fields: "id")')
export class Order {
  @Field(() => SnowflakeID) id!: string;
  @Field(() => SnowflakeID, { nullable: true }) parentId?: string | null;
  @Field(() => [SnowflakeID]) productIds!: (string | bigint)[];
}

@ObjectType()
@Directive('@key(fields: "id")')
export class Invoice {
  @Field(() => InvoiceID) id!: string;
  @Field(() => SnowflakeID) orderId!: string;
}

@InputType()
export class NewOrder {
  @Field(() => SnowflakeID)
  @IsSnowflakeId({ madeFrom: MADE_MS })
  customerId!: string;

  @Field(() => [SnowflakeID], { nullable: true })
  @IsOptional()
  @IsSnowflakeId({ each: true })
  productIds?: string[];
}

/** What all resolvers do, in both styles. */
export const orders = {
  find: (id: string): Order => ({ id, parentId: null, productIds: [id, BigInt(OTHER_ID)] }),
  invoice: (id: string): Invoice => ({ id, orderId: ID_MADE }),
  create: ({ customerId, productIds = [] }: NewOrder): Order => ({
    id: OTHER_ID,
    parentId: customerId,
    productIds,
  }),
  rounded: (): unknown => Number(ID_MADE),
  broken: (): unknown => 'at 10.0.0.7',
  exhausted: (): never => {
    throw new LeaseExhaustedError(7, new Date());
  },
};
