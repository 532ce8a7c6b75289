export default async function globalTeardown() {
  const { closeDatabaseDesk } = await import('./servers/database-desk.js');
  await closeDatabaseDesk();
}
