import { Injectable, NotFoundException } from '@nestjs/common';
import { CustomersService } from '../customers/customers.service.js';
import { Transactions } from '../database/transactions.js';
import type { CreateTicketDto } from './ticket.dto.js';
import { Ticket } from './ticket.entity.js';

@Injectable()
export class TicketsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly customers: CustomersService,
  ) {}

  /** Opens a ticket. @throws UnprocessableEntityException if the customer doesn't exist */
  async open({ customerId, subject }: CreateTicketDto): Promise<Ticket> {
    await this.customers.requireCustomer(customerId);
    return this.transactions.run((manager) => manager.getRepository(Ticket).save({ customerId, subject }));
  }

  /** Returns a ticket by number. @throws NotFoundException */
  async get(number: string): Promise<Ticket> {
    const ticket = await this.transactions.read((manager) =>
      manager.getRepository(Ticket).findOneBy({ number }),
    );
    if (!ticket) throw new NotFoundException(`There is no ticket ${number}`);
    return ticket;
  }
}
