import { Injectable, NotFoundException, UnprocessableEntityException } from '@nestjs/common';
import { SeriesConflictError } from 'nestjs-snowflake-series';
import type { EntityManager, FindOptionsWhere } from 'typeorm';
import { Transactions } from '../database/transactions.js';
import { isUniqueViolation } from '../database/unique-violation.js';
import { Order } from '../orders/order.entity.js';
import type { CreateInvoiceDto } from './create-invoice.dto.js';
import { Invoice } from './invoice.entity.js';

const ATTEMPTS = 5;

@Injectable()
export class InvoicesService {
  constructor(private readonly transactions: Transactions) {}

  /**
   * Writes the invoice of an order, or returns the existing invoice: a client can send a request again.
   *
   * @throws UnprocessableEntityException if the order doesn't exist
   * @throws SeriesConflictError if all attempts conflict with others
   */
  async issue(request: CreateInvoiceDto, attempts = ATTEMPTS): Promise<Invoice> {
    try {
      return await this.transactions.run((manager) => this.findOrIssue(manager, request));
    } catch (error) {
      // The database ended the transaction, for example because of a deadlock. Nothing of it is left.
      if (error instanceof SeriesConflictError && attempts > 1) return this.issue(request, attempts - 1);
      // Another request wrote it at the same time. The rollback took this one's number back.
      const written = isUniqueViolation(error) ? await this.read({ orderId: request.orderId }) : null;
      if (written) return written;
      throw error;
    }
  }

  /** Returns an invoice by ID. @throws NotFoundException */
  async get(id: string): Promise<Invoice> {
    const invoice = await this.read({ id });
    if (!invoice) throw new NotFoundException(`There is no invoice ${id}`);
    return invoice;
  }

  private async findOrIssue(
    manager: EntityManager,
    { orderId, issuedOn }: CreateInvoiceDto,
  ): Promise<Invoice> {
    const written = await this.find(manager, { orderId });
    if (written) return written;
    const order = await manager.findOne(Order, { where: { id: orderId }, relations: { lines: true } });
    if (!order) throw new UnprocessableEntityException(`orderId: there is no order ${orderId}`);
    // Last in the transaction: other invoices of the year wait until it ends.
    const invoice = await manager.save(Invoice, { orderId, issuedOn });
    return Object.assign(invoice, { order });
  }

  private read(where: FindOptionsWhere<Invoice>): Promise<Invoice | null> {
    return this.transactions.read((manager) => this.find(manager, where));
  }

  private find(manager: EntityManager, where: FindOptionsWhere<Invoice>): Promise<Invoice | null> {
    return manager.findOne(Invoice, { where, relations: { order: { lines: true } } });
  }
}
