export type PackageManager = 'npm' | 'pnpm' | 'yarn' | 'bun';

/** A file to write. */
export interface FileChange {
  readonly path: string;
  /** The present text; `undefined` if the file is new. */
  readonly before: string | undefined;
  readonly after: string;
}

/** What the setup will do to an app. */
export interface SetupPlan {
  readonly kind: 'plan';
  readonly changes: readonly FileChange[];
  /** The names of packages that `package.json` gains. */
  readonly added: readonly string[];
  readonly packageManager: PackageManager;
  /** What the user does next, a sentence each. */
  readonly next: readonly string[];
}

/** The setup doesn't understand the app, and leaves it as it is. */
export interface SetupByHand {
  readonly kind: 'by hand';
  /** What is wrong, and what the user does. */
  readonly problem: string;
  /** The lines that the user adds; none if the app must change first. */
  readonly lines: readonly string[];
}
