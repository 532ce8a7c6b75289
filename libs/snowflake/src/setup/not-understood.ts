/** The app has a form that the setup can't edit. Nothing was changed; the user adds the lines by hand. */
export class NotUnderstoodError extends Error {
  /** @param problem a sentence that says what was found, and where */
  constructor(problem: string) {
    super(problem);
    this.name = 'NotUnderstoodError';
  }
}

/** The folder or the project can't be set up at all: it is no app, or too old. No line that a user adds would help. */
export class UnfitAppError extends NotUnderstoodError {
  /** @param problem a sentence that says what was found, and one that says what to do first */
  constructor(problem: string) {
    super(problem);
    this.name = 'UnfitAppError';
  }
}
