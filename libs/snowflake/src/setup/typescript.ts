import type ts from 'typescript';

export type { ts };

/** The compiler of the app, as the setup uses it. */
export type TypeScript = typeof ts;
