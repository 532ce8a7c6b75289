export default async function globalTeardown() {
  const { closeDatabaseDesk } = await import('./servers/database-desk.ts');
  await closeDatabaseDesk();
}
