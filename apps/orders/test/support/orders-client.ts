import { waitFor } from '../../../../test/support/wait.js';

const ANSWER_WITHIN_MS = 60_000;
const HEALTHY_WITHIN_MS = 60_000;

export interface Answer<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Body;
}

export interface ErrorBody {
  readonly statusCode: number;
  readonly message: string | string[];
  readonly error: string;
}

export interface CustomerBody {
  readonly id: string;
  readonly name: string;
  readonly email: string;
}

export interface OrderBody {
  readonly id: string;
  readonly createdAt: string;
  readonly customerId: string;
  readonly total: string;
  readonly lines: { id: string; sku: string; quantity: number; unitPrice: string }[];
  readonly products: { id: string; sku: string }[];
}

export interface InvoiceBody {
  readonly id: string;
  readonly number: string;
  readonly orderId: string;
  readonly issuedOn: string;
  readonly total: string;
}

export interface PageBody<Item> {
  readonly items: Item[];
  readonly next: string | null;
}

/** Calls the backend over HTTP as a client does. */
export class OrdersClient {
  constructor(readonly url: string) {}

  async get<Body>(path: string): Promise<Answer<Body>> {
    return this.ask<Body>(path, {});
  }

  /** Posts `body` as JSON, or unchanged if it is a string. */
  async post<Body>(path: string, body: unknown): Promise<Answer<Body>> {
    return this.ask<Body>(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  async newCustomer(name: string): Promise<CustomerBody> {
    const { status, body, text } = await this.post<CustomerBody>('/customers', {
      name,
      email: `${name}@example.com`,
    });
    if (status !== 201) throw new Error(`POST /customers: ${status} ${text}`);
    return body;
  }

  async newOrder(customerId: string, sku = 'BOOK-1'): Promise<OrderBody> {
    const lines = [{ sku, quantity: 1, unitPrice: '19.90' }];
    const { status, body, text } = await this.post<OrderBody>('/orders', { customerId, lines });
    if (status !== 201) throw new Error(`POST /orders: ${status} ${text}`);
    return body;
  }

  /** Asks for the health until it is good: the check has a short bound, which a machine that stalls can miss. */
  async untilHealthy<Body>(): Promise<Answer<Body>> {
    let last: Answer<Body> | undefined;
    return waitFor(
      () => `a healthy backend: ${last?.text}`,
      HEALTHY_WITHIN_MS,
      async () => {
        last = await this.get<Body>('/health');
        return last.status === 200 && last;
      },
    );
  }

  /** Returns the items of all pages of a list. */
  async pages<Item>(path: string, limit: number): Promise<PageBody<Item>[]> {
    const pages: PageBody<Item>[] = [];
    let after = '';
    for (;;) {
      const { body } = await this.get<PageBody<Item>>(`${path}?limit=${limit}${after}`);
      pages.push(body);
      if (body.next === null) return pages;
      after = `&after=${body.next}`;
    }
  }

  private async ask<Body>(path: string, init: RequestInit): Promise<Answer<Body>> {
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    // The server could close a kept-alive connection just as the next request is sent.
    const headers = { ...init.headers, connection: 'close' };
    const response = await fetch(`${this.url}${path}`, { ...init, headers, signal });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: (isJson ? JSON.parse(text) : text) as Body,
    };
  }
}
