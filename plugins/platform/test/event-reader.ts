/** One block of a stream of server-sent events. */
export interface SseBlock {
  event?: string;
  id?: string;
  data?: string;
}

export interface EventReader {
  status: number;
  headers: Headers;
  /** The next block that carries data; undefined when the stream has ended. */
  next(): Promise<SseBlock | undefined>;
  /** The id that the opening of the stream names; to be asked before `next`. */
  opened(): Promise<string>;
  leave(): Promise<void>;
}

/** Opens an event stream as a browser's reader would: by fetch, with headers. */
export async function readStream(url: string, headers: Record<string, string>): Promise<EventReader> {
  const gone = new AbortController();
  const answer = await fetch(url, { headers: { accept: 'text/event-stream', ...headers }, signal: gone.signal });
  const blocks = blocksOf(answer);
  return {
    status: answer.status,
    headers: answer.headers,
    opened: async () => (await blocks.next()).value?.id ?? '',
    async next() {
      for (;;) {
        const { done, value } = await blocks.next();
        if (done) return undefined;
        if (value.data !== undefined) return value;
      }
    },
    async leave() {
      gone.abort();
      await blocks.next().catch(() => undefined);
    },
  };
}

async function* blocksOf(answer: Response): AsyncGenerator<SseBlock> {
  let rest = '';
  for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + chunk).split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts) yield blockOf(part);
  }
}

export function blockOf(text: string): SseBlock {
  const fields = text.split('\n').map((line) => /^(\w*):? ?(.*)$/.exec(line) ?? []);
  return Object.fromEntries(fields.flatMap(([, name, value]) => (name ? [[name, value]] : [])));
}
