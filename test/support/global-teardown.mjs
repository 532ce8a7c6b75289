export default async function globalTeardown() {
  const { closeDatabaseProvider } = await import('./servers/database-provider.ts');
  await closeDatabaseProvider();
}
