import {
  Args,
  type CustomScalar,
  Mutation,
  Query,
  ResolveReference,
  Resolver,
  Scalar,
} from '@nestjs/graphql';
import type { ValueNode } from 'graphql';
import { SnowflakeID } from 'nestjs-snowflake/graphql';
import { type Invoice, InvoiceID, NewOrder, type Order, orders } from './graphql-orders.js';

export const SDL = /* GraphQL */ `
  scalar SnowflakeID
  scalar InvoiceID
  scalar RecentID
  type Order @key(fields: "id") {
    id: SnowflakeID!
    parentId: SnowflakeID
    productIds: [SnowflakeID!]!
  }
  type Invoice @key(fields: "id") {
    id: InvoiceID!
    orderId: SnowflakeID!
  }
  input NewOrder {
    customerId: SnowflakeID!
    productIds: [SnowflakeID!]
  }
  type Query {
    order(id: SnowflakeID!): Order!
    orders(ids: [SnowflakeID!]!): [Order!]!
    echo(id: SnowflakeID): SnowflakeID
    invoice(id: InvoiceID!): Invoice!
    recent(id: RecentID!): RecentID
    plain(id: ID!): ID!
    rounded: SnowflakeID!
    broken: SnowflakeID!
    exhausted: SnowflakeID!
  }
  type Mutation {
    create(order: NewOrder!): Order!
  }
`;

@Resolver('Order')
export class SchemaFirstOrders {
  @Query()
  order(@Args('id') id: string): Order {
    return orders.find(id);
  }

  @Query()
  orders(@Args('ids') ids: string[]): Order[] {
    return ids.map((id) => orders.find(id));
  }

  @Query()
  echo(@Args('id') id?: string | null): string | undefined {
    return id ?? undefined;
  }

  @Query()
  invoice(@Args('id') id: string): Invoice {
    return orders.invoice(id);
  }

  @Query()
  recent(@Args('id') id: string): string {
    return id;
  }

  @Query()
  plain(@Args('id') id: string): string {
    return id;
  }

  @Query()
  rounded(): unknown {
    return orders.rounded();
  }

  @Query()
  broken(): unknown {
    return orders.broken();
  }

  @Query()
  exhausted(): string {
    return orders.exhausted();
  }

  @Mutation()
  create(@Args('order') order: NewOrder): Order {
    return orders.create(order);
  }

  @ResolveReference()
  resolveReference({ id }: { id: string }): Order {
    return orders.find(SnowflakeID.parseValue(id));
  }
}

@Resolver('Invoice')
export class SchemaFirstInvoices {
  @ResolveReference()
  resolveReference({ id }: { id: string }): Invoice {
    return orders.invoice(InvoiceID.parseValue(id));
  }
}

/** Nest's own form of a scalar, whose dependencies are injected. */
@Scalar('InvoiceID')
export class InvoiceIdScalar implements CustomScalar<string, string> {
  readonly description = InvoiceID.description!;

  serialize(value: unknown): string {
    return InvoiceID.serialize(value);
  }

  parseValue(value: unknown): string {
    return InvoiceID.parseValue(value);
  }

  parseLiteral(node: ValueNode): string {
    return InvoiceID.parseLiteral(node);
  }
}
