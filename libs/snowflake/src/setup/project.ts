import type { AppFiles } from './app-files.js';
import { joined } from './app-files.js';
import type { Manifest } from './manifest.js';
import { UnfitAppError } from './not-understood.js';
import type { TypeScript } from './typescript.js';

/** The app among the projects of a workspace, as `nest-cli.json` describes it. */
export interface Project {
  /** The name of the project, or of the package. */
  readonly name: string;
  /** The folder of its sources, such as `src` or `apps/shop/src`. */
  readonly sources: string;
  /** The file that starts it. */
  readonly main: string;
}

interface ProjectSettings {
  readonly type?: string;
  readonly root?: string;
  readonly sourceRoot?: string;
  readonly entryFile?: string;
}

/**
 * Finds the app to set up.
 *
 * @param name a project of the workspace; by default the one that `nest start` starts
 * @throws UnfitAppError if there is no such project
 */
export function projectOf(ts: TypeScript, files: AppFiles, manifest: Manifest, name?: string): Project {
  const settings = readSettings(ts, files);
  const projects = Object.entries(settings.projects ?? {});
  const [ownName, own] =
    name === undefined
      ? (projects.find(([, each]) => each.root !== undefined && each.root === settings.root) ?? [
          undefined,
          settings,
        ])
      : (projects.find(([each]) => each === name) ?? []);
  if (own === undefined)
    throw new UnfitAppError(
      `nest-cli.json has no project ${name}. It has: ${projects.map(([each]) => each).join(', ') || 'none'}.`,
    );
  if (own.type === 'library') throw new UnfitAppError(`The project ${name} is a library, not an app.`);
  const sources = joined(own.sourceRoot ?? settings.sourceRoot ?? 'src');
  const main = `${joined(sources, own.entryFile ?? settings.entryFile ?? 'main')}.ts`;
  return { name: ownName ?? manifest.name, sources, main };
}

type Settings = ProjectSettings & { readonly projects?: Readonly<Record<string, ProjectSettings>> };

function readSettings(ts: TypeScript, files: AppFiles): Settings {
  const path = ['nest-cli.json', '.nestcli.json', '.nest-cli.json', 'nest.json'].find(
    (each) => files.read(each) !== undefined,
  );
  if (path === undefined) return {};
  // Comments are allowed in it.
  const { config, error } = ts.parseConfigFileTextToJson(path, files.read(path) ?? '') as {
    config?: Settings;
    error?: unknown;
  };
  if (config === undefined || error !== undefined) throw new UnfitAppError(`${path} is not valid JSON.`);
  return config;
}
