import type { OpenAPIObject } from '@nestjs/swagger';
import { Ajv } from 'ajv';
import type { Received } from './service-app.js';

const METHODS = ['get', 'post'] as const;
export type Method = (typeof METHODS)[number];

/** Checks bodies against the schemas of a document. */
export class Description {
  private readonly ajv = new Ajv({
    strict: false,
    formats: { int64: true, 'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ },
  });

  constructor(readonly document: OpenAPIObject) {
    this.ajv.addSchema(document, 'document');
  }

  get routes(): (readonly [path: string, method: Method])[] {
    return Object.entries(this.document.paths).flatMap(([path, item]) =>
      METHODS.filter((method) => item[method]).map((method) => [path, method] as const),
    );
  }

  /** What doesn't fit a response of a route. */
  problemsOf(path: string, method: Method, { status, headers, body }: Received): unknown {
    const type = headers.get('content-type')?.split(';')[0] ?? '';
    return this.problemsWith(body, `${path} ${method} responses ${status} content ${type}`);
  }

  /** What doesn't fit the body of a request. */
  problemsOfBody(path: string, method: Method, body: unknown): unknown {
    return this.problemsWith(body, `${path} ${method} requestBody content application/json`);
  }

  private problemsWith(value: unknown, words: string): unknown {
    const at = ['paths', ...words.split(' '), 'schema'];
    const pointer = at.map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1')));
    const validate = this.ajv.compile({ $ref: `document#/${pointer.join('/')}` });
    return validate(value) ? undefined : validate.errors;
  }
}
