declare module 'flake-idgen' {
  export default class FlakeId {
    constructor(options?: { id?: number; epoch?: number });
    /** @throws Error when the sequence is exhausted, or the clock went back */
    next(): Buffer;
  }
}
