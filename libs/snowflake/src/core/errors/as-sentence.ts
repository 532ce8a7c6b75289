/** Returns a text that another sentence can follow: with a full stop, unless it has an end or ends with a URL. */
export function asSentence(text: string): string {
  return /[.!?]$|https?:\/\/\S+$/.test(text) ? text : `${text}.`;
}
