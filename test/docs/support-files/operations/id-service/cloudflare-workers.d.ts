/** As much of Cloudflare's types as the page uses. An app gets all of them from `wrangler types`. */
declare module 'cloudflare:workers' {
  export abstract class DurableObject<Env> {
    protected readonly env: Env;
    constructor(state: unknown, env: Env);
  }
}

interface DurableObjectNamespace<Served> {
  getByName(name: string): Served;
}
