/** More than most lines of a log have. The rest of a longer line is dropped, so that memory use stays bounded. */
const MAX_LINE_LENGTH = 65_536;

/** Yields the lines of a stream, without their ends. */
export async function* linesOf(stream: NodeJS.ReadableStream): AsyncGenerator<string> {
  stream.setEncoding('utf8');
  let rest = '';
  for await (const chunk of stream) {
    const lines = (rest + String(chunk)).split(/\r?\n/);
    rest = (lines.pop() ?? '').slice(0, MAX_LINE_LENGTH);
    yield* lines;
  }
  if (rest !== '') yield rest;
}
