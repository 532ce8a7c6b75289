import {
  ConflictException,
  Injectable,
  NotFoundException,
  UnprocessableEntityException,
} from '@nestjs/common';
import { Transactions } from '../database/transactions.js';
import { isUniqueViolation } from '../database/unique-violation.js';
import type { CreateCustomerDto } from './customer.dto.js';
import { Customer } from './customer.entity.js';

@Injectable()
export class CustomersService {
  constructor(private readonly transactions: Transactions) {}

  /** Creates a customer. @throws ConflictException if another customer has the e-mail address */
  async create({ name, email }: CreateCustomerDto): Promise<Customer> {
    try {
      return await this.transactions.run((manager) => manager.getRepository(Customer).save({ name, email }));
    } catch (error) {
      if (isUniqueViolation(error))
        throw new ConflictException(`A customer with the e-mail ${email} already exists`);
      throw error;
    }
  }

  /** Returns a customer by ID. @throws NotFoundException */
  async get(id: string): Promise<Customer> {
    const customer = await this.find(id);
    if (!customer) throw new NotFoundException(`There is no customer ${id}`);
    return customer;
  }

  /** Returns a customer that another request refers to. @throws UnprocessableEntityException if it doesn't exist */
  async requireCustomer(customerId: string): Promise<void> {
    if (await this.find(customerId)) return;
    throw new UnprocessableEntityException(
      `customerId: there is no customer ${customerId}. Create one with POST /customers first.`,
    );
  }

  private find(id: string): Promise<Customer | null> {
    return this.transactions.read((manager) => manager.getRepository(Customer).findOneBy({ id }));
  }
}
