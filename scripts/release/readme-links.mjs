/** A path: neither a URL nor a heading of the page. */
const PATH = String.raw`(?![a-z][a-z+.-]*:|#|\/\/)`;
/** The end of a link or of a picture in Markdown whose target is a path. */
const RELATIVE = new RegExp(String.raw`(!\[[^\]]*)?(\]\()${PATH}([^)\s]+)`, 'g');
/** The path of a picture in HTML, which a picture with a dark and a light form needs. */
const PICTURE = new RegExp(String.raw`\b(src|srcset)="${PATH}([^"\s]+)"`, 'g');
const CODE = /(^```[^]*?^```|`[^`\n]*`)/gm;

/**
 * Returns the page with absolute links and pictures, for a registry, which shows it away from the repository. Code stays as it is.
 *
 * @param folder of the page in the repository
 */
export function withAbsoluteLinks(markdown, repositoryUrl, folder = '.') {
  const pictureUrl = repositoryUrl.replace('https://github.com/', 'https://raw.githubusercontent.com/');
  const absolute = (path, isPicture) => {
    const base = isPicture ? `${pictureUrl}/HEAD/` : `${repositoryUrl}/blob/HEAD/`;
    return new URL(`${folder}/${path}`, base).href;
  };
  const changed = (text) =>
    text
      .replace(
        RELATIVE,
        (_link, picture = '', end, path) => `${picture}${end}${absolute(path, picture !== '')}`,
      )
      .replace(PICTURE, (_attribute, name, path) => `${name}="${absolute(path, true)}"`);
  // Code is at the odd places: it is what `split` captures.
  return markdown
    .split(CODE)
    .map((part, at) => (at % 2 === 0 ? changed(part) : part))
    .join('');
}
