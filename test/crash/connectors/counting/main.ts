import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type ReadContext, runSource, type Source, type State } from '@weir/connector-sdk';

/** Rows between two STATEs. */
const ROWS_PER_STATE = 100;
/** Ids from here on fall upon the same few keys again. */
const KEYS = 70;

/**
 * Ids go from 0 to one less than `rows`; `generation` stands in each; after a STATE it waits. With `shared` it has two
 * streams of the same rows, and one GLOBAL state for both.
 */
type Config = { rows: number; generation: number; pause_ms: number; shared?: boolean };

const integer = { type: 'integer' };

async function read({ config, state, emit, signal }: ReadContext): Promise<void> {
  const { rows, generation, pause_ms: pauseMs } = config as Config;
  let at = (state as { at: number } | undefined)?.at ?? 0;
  while (at < rows) {
    signal.throwIfAborted();
    const end = Math.min(at + ROWS_PER_STATE, rows);
    for (; at < end; at += 1) await emit.record({ id: at, key: at % KEYS, generation });
    await emit.state({ at });
    await delay(pauseMs);
  }
}

/** Both streams in turn, and a state behind each hundred rows of either. */
async function readShared(contexts: readonly ReadContext[]): Promise<void> {
  const [first] = contexts;
  if (first === undefined) return;
  const { rows, generation, pause_ms: pauseMs } = first.config as Config;
  const stream_states = (at: number) =>
    contexts.map(({ stream }) => ({ stream_descriptor: { name: stream.stream.name }, stream_state: { at } }));
  for (let at = sharedPosition(); at < rows; ) {
    first.signal.throwIfAborted();
    const end = Math.min(at + ROWS_PER_STATE, rows);
    for (const { emit } of contexts) {
      for (let id = at; id < end; id += 1) await emit.record({ id, key: id % KEYS, generation });
    }
    at = end;
    const state = { type: 'GLOBAL', global: { shared_state: { at }, stream_states: stream_states(at) } };
    // The kit tells states of one stream alone.
    await first.emit.lines(Buffer.from(`${JSON.stringify({ type: 'STATE', state })}\n`), 0);
    await delay(pauseMs);
  }
}

/** Where the state that it was given stands. */
function sharedPosition(): number {
  const flag = process.argv.indexOf('--state');
  const states = flag < 0 ? [] : (JSON.parse(readFileSync(process.argv[flag + 1] ?? '', 'utf8')) as State[]);
  const { global } = states.find(({ type }) => type === 'GLOBAL') ?? {};
  return ((global as { shared_state?: { at?: number } } | undefined)?.shared_state?.at ?? 0) as number;
}

const stream = (name: string) => ({
  name,
  json_schema: { type: 'object', properties: { id: integer, key: integer, generation: integer } },
  supported_sync_modes: ['full_refresh' as const, 'incremental' as const],
  source_defined_cursor: true,
  is_resumable: true,
});

const source: Source = {
  spec: { connectionSpecification: { type: 'object' } },
  check: async () => undefined,
  discover: async (config) => ({ streams: ((config as Config).shared ? ['rows', 'more'] : ['rows']).map(stream) }),
  read,
  together: { isMember: (config) => (config as Config).shared === true, read: readShared },
};

process.exit(await runSource(source, process.argv.slice(2)));
