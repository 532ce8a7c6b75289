import { Injectable } from '@nestjs/common';
import { SnowflakeIdMaker } from 'nestjs-snowflake';
import type { Prisma } from './generated/prisma/client.js';
import { PrismaService } from './prisma.service.js';

/** What a client sends. Without a customer, the order gets a new one. */
export interface OrderRequest {
  readonly customerId?: string;
  readonly skus?: readonly string[];
}

export type Order = Prisma.OrderGetPayload<{ include: { lines: true } }>;

@Injectable()
export class OrdersService {
  constructor(
    private readonly ids: SnowflakeIdMaker,
    private readonly prisma: PrismaService,
  ) {}

  /** Inserts all of them with their lines, or none. */
  create(requests: readonly OrderRequest[]): Promise<Order[]> {
    return this.prisma.$transaction(async (tx) => {
      const orders: Order[] = [];
      for (const request of requests) {
        const data = this.dataOf(request);
        const include = { lines: true };
        orders.push(await tx.order.create({ data, include }));
      }
      return orders;
    });
  }

  find(id: bigint): Promise<Order | null> {
    return this.prisma.order.findUnique({
      where: { id },
      include: { lines: true },
    });
  }

  private dataOf({ customerId, skus = ['CATALOG'] }: OrderRequest) {
    return {
      customerId: customerId ? BigInt(customerId) : this.ids.nextBigInt(),
      lines: { create: skus.map((sku) => ({ sku })) },
    };
  }
}
