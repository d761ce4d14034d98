import type { QueryClient } from '@tanstack/react-query';
import { fullPath } from '@weir/kernel/contract';
import { EVENT_STREAM, readEvents } from '@weir/plugin-platform/contract';
import type { Connection } from './ask.ts';
import { readAgain } from './queries.ts';

/** What the pages of a plugin show of each topic. */
const PLUGINS_OF: Readonly<Record<string, readonly string[]>> = {
  run: ['runs', 'sources', 'transforms', 'pipelines', 'ontology', 'lineage'],
  transform: ['transforms', 'pipelines', 'lineage'],
  pipeline: ['pipelines'],
  source: ['sources', 'lineage'],
  schedule: ['sources'],
  dataset: ['datasets', 'lineage'],
};
const RETRY_MS = 3_000;
const POLL_MS = 5_000;

/** A topic of which something changed; `*` when hints were missed. */
type Told = (topic: string) => void;

/**
 * Follows the hints of a tenant until `signal`: one tab of the browser holds the stream and passes hints to the others,
 * because HTTP/1.1 gives a browser six connections. Without locks (an insecure origin) each tab reads again by itself.
 */
export function followEvents(connection: Connection, queries: QueryClient, signal: AbortSignal): void {
  const told: Told = (topic) => {
    const plugins = topic === '*' ? new Set(Object.values(PLUGINS_OF).flat()) : (PLUGINS_OF[topic] ?? []);
    for (const plugin of plugins) void readAgain(queries, plugin);
  };
  if (navigator.locks === undefined) {
    const timer = setInterval(() => told('*'), POLL_MS);
    signal.addEventListener('abort', () => clearInterval(timer));
    return;
  }
  const name = `weir-events-${connection.tenant}`;
  const channel = new BroadcastChannel(name);
  channel.onmessage = ({ data }) => told(String(data));
  signal.addEventListener('abort', () => channel.close());
  const pass: Told = (topic) => {
    if (signal.aborted) return;
    channel.postMessage(topic);
    told(topic);
  };
  // The lock ends with the tab, and the next tab then opens a stream.
  void navigator.locks.request(name, { signal }, () => holdStream(connection, pass, signal)).catch(() => undefined);
}

async function holdStream(connection: Connection, pass: Told, signal: AbortSignal): Promise<void> {
  let last = '';
  while (!signal.aborted) {
    last = await readStream(connection, { last, pass, signal }).catch(() => last);
    await pause(RETRY_MS, signal);
  }
}

/** Reads one stream to its end; answers the id of its last hint. */
async function readStream(
  { url, tenant, token }: Connection,
  { last, pass, signal }: { last: string; pass: Told; signal: AbortSignal },
): Promise<string> {
  const answer = await fetch(new URL(fullPath(readEvents), url), {
    headers: {
      accept: EVENT_STREAM,
      authorization: `Bearer ${await token()}`,
      ...(tenant === undefined ? {} : { 'x-tenant-id': tenant }),
      ...(last === '' ? {} : { 'last-event-id': last }),
    },
    signal,
  });
  if (!answer.ok || answer.body === null) return '';
  let newest = last;
  let rest = '';
  for await (const text of textOf(answer.body)) {
    const blocks = `${rest}${text}`.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) newest = takeBlock(block, pass) ?? newest;
  }
  return newest;
}

async function* textOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

/** Passes on what one event says; answers its id. */
function takeBlock(block: string, pass: Told): string | undefined {
  const fields = new Map(
    block.split('\n').map((line) => {
      const at = line.indexOf(':');
      return [line.slice(0, at), line.slice(at + 1).trimStart()];
    }),
  );
  const data = fields.get('data');
  if (fields.get('event') === 'reset') pass('*');
  else if (data !== undefined && data !== '') pass(String((JSON.parse(data) as { topic?: unknown }).topic));
  return fields.get('id');
}

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
