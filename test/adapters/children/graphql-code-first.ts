import { Args, ID, Mutation, Query, ResolveReference, Resolver } from '@nestjs/graphql';
import { SnowflakeID } from 'nestjs-snowflake/graphql';
import { Invoice, InvoiceID, NewOrder, Order, orders, RecentID } from './graphql-orders.js';

@Resolver(() => Order)
export class CodeFirstOrders {
  @Query(() => Order)
  order(@Args('id', { type: () => SnowflakeID }) id: string): Order {
    return orders.find(id);
  }

  @Query(() => [Order])
  orders(@Args('ids', { type: () => [SnowflakeID] }) ids: string[]): Order[] {
    return ids.map((id) => orders.find(id));
  }

  @Query(() => SnowflakeID, { nullable: true })
  echo(@Args('id', { type: () => SnowflakeID, nullable: true }) id?: string | null): string | undefined {
    return id ?? undefined;
  }

  @Query(() => Invoice)
  invoice(@Args('id', { type: () => InvoiceID }) id: string): Invoice {
    return orders.invoice(id);
  }

  @Query(() => RecentID, { nullable: true })
  recent(@Args('id', { type: () => RecentID }) id: string): string {
    return id;
  }

  @Query(() => ID)
  plain(@Args('id', { type: () => ID }) id: string): string {
    return id;
  }

  @Query(() => SnowflakeID)
  rounded(): unknown {
    return orders.rounded();
  }

  @Query(() => SnowflakeID)
  broken(): unknown {
    return orders.broken();
  }

  @Query(() => SnowflakeID)
  exhausted(): string {
    return orders.exhausted();
  }

  @Mutation(() => Order)
  create(@Args('order') order: NewOrder): Order {
    return orders.create(order);
  }

  @ResolveReference()
  resolveReference({ id }: { id: string }): Order {
    return orders.find(SnowflakeID.parseValue(id));
  }
}

@Resolver(() => Invoice)
export class CodeFirstInvoices {
  @ResolveReference()
  resolveReference({ id }: { id: string }): Invoice {
    return orders.invoice(InvoiceID.parseValue(id));
  }
}
