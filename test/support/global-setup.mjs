import './typescript.mjs';

/** Runs once before all specs, in Jest's own process, where nothing transforms TypeScript but the loader above. */
export default async function globalSetup() {
  const { provisionServers } = await import('./servers/provision.ts');
  const { openDatabaseDesk } = await import('./servers/database-desk.ts');
  await provisionServers();
  await openDatabaseDesk();
}
