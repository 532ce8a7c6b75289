import { Inject, Injectable } from '@nestjs/common';
import { eq } from 'drizzle-orm';
import { SnowflakeIdMaker } from 'nestjs-snowflake';
import { DATABASE } from './database.module.js';
import type { Database } from './database.js';
import { orders, type Order } from './schema.js';

/** What a client sends. Without a customer, the order gets a new one. */
export interface OrderRequest {
  readonly customerId?: string;
}

@Injectable()
export class OrdersService {
  constructor(
    private readonly ids: SnowflakeIdMaker,
    @Inject(DATABASE) private readonly db: Database,
  ) {}

  /** Inserts all of them or none, because they are one statement. */
  create(requests: readonly OrderRequest[]): Promise<Order[]> {
    const rows = requests.map(({ customerId = this.ids.nextId() }) => ({
      customerId,
    }));
    return this.db.insert(orders).values(rows).returning();
  }

  find(id: string): Promise<Order | undefined> {
    return this.db.select().from(orders).where(eq(orders.id, id)).get();
  }
}
