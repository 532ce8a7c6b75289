import { lookAtApp } from './app.js';
import type { AppFiles } from './app-files.js';
import { linesByHand } from './by-hand.js';
import type { Compiler } from './compiler.js';
import { NotUnderstoodError, UnfitAppError } from './not-understood.js';
import { planOf } from './plan.js';
import { decided, defaultDecisions } from './request.js';
import type { Decisions, SetupRequest, Surroundings } from './settings.js';
import type { SetupByHand, SetupPlan } from './setup-plan.js';
import type { TypeScript } from './typescript.js';

/**
 * Plans what to change in an app, so that it generates IDs. Writes nothing. An app that has all of it gets a plan without changes.
 *
 * @param compiler that of the app; `undefined` if it has none
 * @throws InvalidOptionError if the namespace can't be one
 */
export function planSetup(
  compiler: Compiler | undefined,
  files: AppFiles,
  request: SetupRequest,
  surroundings: Surroundings,
): SetupPlan | SetupByHand {
  try {
    const app = lookAtApp(requireCompiler(compiler), files, request.project);
    return planOf(app, decided(app, request), surroundings, request.entity);
  } catch (error) {
    if (!(error instanceof NotUnderstoodError)) throw error;
    return byHand(error, request);
  }
}

function byHand(error: NotUnderstoodError, request: SetupRequest): SetupByHand {
  const lines = error instanceof UnfitAppError ? [] : linesByHand(request);
  const remedy = lines.length === 0 ? '.' : ': add the lines above by hand.';
  return { kind: 'by hand', problem: `${error.message} Nothing was changed${remedy}`, lines };
}

/** Returns the answers for a user who gives none; `undefined` if the app is not understood, which {@link planSetup} explains. */
export function setupDefaults(
  compiler: Compiler | undefined,
  files: AppFiles,
  project?: string,
): Decisions | undefined {
  try {
    const app = lookAtApp(requireCompiler(compiler), files, project);
    return app.registeredIn === undefined ? defaultDecisions(app) : undefined;
  } catch (error) {
    if (error instanceof NotUnderstoodError) return undefined;
    throw error;
  }
}

function requireCompiler(compiler: Compiler | undefined): TypeScript {
  if (compiler) return compiler as TypeScript;
  throw new NotUnderstoodError('The app has no TypeScript whose compiler can be used from JavaScript.');
}
