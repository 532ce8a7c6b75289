/** A path: neither a URL nor a heading of the page. */
const PATH = String.raw`(?![a-z][a-z+.-]*:|#|\/\/)`;
/** The end of a link or of a picture in Markdown whose target is a path. */
const RELATIVE = new RegExp(String.raw`(!\[[^\]]*)?(\]\()${PATH}([^)\s]+)`, 'g');
/** The path of a picture in HTML, which a picture with a dark and a light form needs. */
const PICTURE = new RegExp(String.raw`\b(src|srcset)="${PATH}([^"\s]+)"`, 'g');
const CODE = /(^```[^]*?^```|`[^`\n]*`)/gm;

/** Returns the page with what `change` returns for each relative link or picture outside code. */
function changeLinks(markdown, change) {
  // Code is at the odd places: it is what `split` captures.
  const parts = markdown
    .split(CODE)
    .map((part, at) =>
      at % 2 === 0
        ? part
            .replace(
              RELATIVE,
              (_link, picture, end, path) => `${picture ?? ''}${end}${change(path, picture !== undefined)}`,
            )
            .replace(PICTURE, (_attribute, name, path) => `${name}="${change(path, true)}"`)
        : part,
    );
  return parts.join('');
}

/** Returns the paths that a page links to or shows, without `#…`. */
export function linkedFiles(markdown) {
  const files = new Set();
  changeLinks(markdown, (path) => {
    files.add(path.split('#')[0]);
    return path;
  });
  return [...files];
}

/**
 * Returns the page with absolute links and pictures, for a registry, which shows it away from the repository.
 *
 * @param folder of the page in the repository
 */
export function withAbsoluteLinks(markdown, repositoryUrl, folder = '.') {
  const pictureUrl = repositoryUrl.replace('https://github.com/', 'https://raw.githubusercontent.com/');
  return changeLinks(markdown, (path, isPicture) => {
    const base = isPicture ? `${pictureUrl}/HEAD/` : `${repositoryUrl}/blob/HEAD/`;
    return new URL(`${folder}/${path}`, base).href;
  });
}
