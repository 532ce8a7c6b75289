/** The method that `await using` calls. Absent where the compiler has no declaration of its name (lib `esnext.disposable`). */
type StopsByUsingMethod = SymbolConstructor extends { readonly asyncDispose: infer Name extends symbol }
  ? { readonly [Method in Name]: () => Promise<void> }
  : object;

abstract class Stoppable {
  abstract stop(): Promise<void>;

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

/** Gives a class with a method `stop` what `await using` needs. */
export const StopsByUsing = Stoppable as abstract new () => StopsByUsingMethod;
