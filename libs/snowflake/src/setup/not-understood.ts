/** The app has a form that the setup can't edit. Nothing was changed; the user adds the lines by hand. */
export class NotUnderstoodError extends Error {
  /** @param problem a sentence that says what was found, and where */
  constructor(problem: string) {
    super(problem);
    this.name = 'NotUnderstoodError';
  }
}
