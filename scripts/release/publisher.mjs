/** Who publishes the packages, and where. `publisher.json` is the only place where a person writes it. */
import { readFileSync } from 'node:fs';

export const PUBLISHER = 'scripts/release/publisher.json';

const { author, repository, site } = JSON.parse(
  readFileSync(new URL('publisher.json', import.meta.url), 'utf8'),
);

/** Address of the repository, such as https://github.com/ada/nestjs-snowflake. Empty until it is known. */
export const repositoryUrl = repository.replace(/\/$/, '');

/** The names that `publisher.json` lacks. */
export const missingNames = Object.entries({ author, repository, site }).flatMap(([name, value]) =>
  value === '' ? name : [],
);

/** Returns the manifest of a package with its publisher. */
export function signed({ name, version, description, license, ...rest }, folder) {
  const names = {
    author,
    homepage: site,
    repository: { type: 'git', url: `git+${repositoryUrl}.git`, directory: folder },
    bugs: { url: `${repositoryUrl}/issues` },
  };
  return { name, version, description, license, ...names, ...rest, ...names };
}

/** The file with the address that messages show. */
export const SEE_DOCS = 'libs/snowflake/src/core/see-docs.ts';

/** Returns the text of `SEE_DOCS` with the address of the documentation. */
export function withSite(text) {
  const address = site.replace(/\/*$/, '/');
  return text.replace(/(?<=^const DOCS_SITE: string \| undefined =).*$/m, () => ` '${address}';`);
}
