import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Collects the garbage. Returns how many of the objects something still refers to. */
export async function countKept(objects: readonly WeakRef<object>[]): Promise<number> {
  // A WeakRef keeps its object until the turn in which it was made has ended.
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  return objects.filter((each) => each.deref() !== undefined).length;
}
