import { fileURLToPath } from 'node:url';
import { AppProcess } from '../../../shared/test/support/app-process.js';
import { OrdersClient } from './orders-client.js';

const MAIN = fileURLToPath(new URL('../../../../dist/apps/orders/src/main.js', import.meta.url));
const VARIANT_MAIN = fileURLToPath(new URL('variant-main.mjs', import.meta.url));

/** The built backend as a process, as `npm start` runs it. */
export class OrdersProcess extends AppProcess {
  /** Starts it without waiting. */
  static spawn(env: Record<string, string>, cwd?: string, main = MAIN): OrdersProcess {
    return new OrdersProcess(AppProcess.run(main, env, cwd));
  }

  /** Starts it and waits until it listens. */
  static start(env: Record<string, string>, cwd?: string): Promise<OrdersProcess> {
    return OrdersProcess.spawn(env, cwd).untilListening();
  }

  /** Starts `variant-main.mjs` and waits until it listens. */
  static startVariant(env: Record<string, string>): Promise<OrdersProcess> {
    return OrdersProcess.spawn(env, undefined, VARIANT_MAIN).untilListening();
  }

  get client(): OrdersClient {
    return new OrdersClient(this.url);
  }
}
