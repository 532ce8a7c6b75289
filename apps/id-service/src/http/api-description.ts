import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';

const PATH = 'openapi.json';
const DESCRIPTION =
  'Generates unique 64-bit IDs and dense numbers, and leases worker IDs to processes that generate IDs themselves. IDs are decimal strings, ' +
  'because a JSON number would round them. Errors are problem details of RFC 9457 with a stable `code`.';

/** Serves the OpenAPI document to everybody, for tools that generate clients. */
export function serveApiDescription(app: INestApplication): void {
  const description = new DocumentBuilder()
    .setTitle('ID service')
    .setDescription(DESCRIPTION)
    .setVersion('1')
    // Relative to the address of the document, because the service doesn't know its public name.
    .addServer('/', 'This service')
    .addBearerAuth({ type: 'http', bearerFormat: 'opaque' })
    .build();
  SwaggerModule.setup('', app, () => SwaggerModule.createDocument(app, description), {
    ui: false,
    raw: ['json'],
    jsonDocumentUrl: PATH,
  });
}
