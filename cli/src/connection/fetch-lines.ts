import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';

export const NDJSON_TYPE = 'application/x-ndjson';

/** A fetch that hands each line of an ndjson answer on as it comes; the answer is the list of them. */
export function fetchLines(seen: (line: object) => void): typeof fetch {
  return async (input, init) => {
    const answer = await fetch(input, init);
    const isLines = answer.headers.get('content-type')?.startsWith(NDJSON_TYPE) === true;
    if (!isLines || answer.body === null) return answer;
    const lines: object[] = [];
    const body = Readable.fromWeb(answer.body as ReadableStream);
    for await (const text of createInterface({ input: body })) {
      const line = JSON.parse(text) as object;
      seen(line);
      lines.push(line);
    }
    return new Response(JSON.stringify(lines), { status: answer.status });
  };
}
