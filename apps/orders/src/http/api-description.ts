import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { ErrorDto } from './error.dto.js';

/** Serves the API description at `/docs` for people and at `/docs-json` for tools. */
export function serveApiDescription(app: INestApplication): void {
  const description = new DocumentBuilder()
    .setTitle('Orders')
    .setDescription(
      'Customers, products and orders. Every ID is a 64-bit Snowflake ID and travels as a string of digits: ' +
        "a JSON number can't hold it exactly.",
    )
    .setVersion('1.0')
    .addGlobalResponse({ status: 429, description: 'Too many requests: see Retry-After', type: ErrorDto })
    .build();
  SwaggerModule.setup('docs', app, () => SwaggerModule.createDocument(app, description));
}
