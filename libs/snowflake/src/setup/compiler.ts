/**
 * The TypeScript of the app, whose syntax trees the setup reads. The library depends on no compiler, so this type names nothing of it.
 */
export interface Compiler {
  readonly createSourceFile: unknown;
}

/** Returns the first compiler that can parse; `undefined` if there is none. @param candidates in the order of preference */
export function usableCompiler(candidates: readonly unknown[]): Compiler | undefined {
  return candidates.find(
    (each): each is Compiler => typeof Reflect.get(Object(each), 'createSourceFile') === 'function',
  );
}
