import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { type ReadContext, runSource, type Source } from '@weir/connector-sdk';

/** Rows between two STATEs. */
const ROWS_PER_STATE = 100;
/** Ids from here on fall upon the same few keys again. */
const KEYS = 70;
/** So that a sync lasts longer than the time between two commits. */
const PAUSE_MS = 100;

/** What the file behind `path` holds. */
interface Plan {
  /** Ids go from 0 to one less. */
  rows: number;
  /** Stands in every row. */
  generation: number;
}

const integer = { type: 'integer' };

async function read({ config, state, emit, signal }: ReadContext): Promise<void> {
  const plan = JSON.parse(await readFile((config as { path: string }).path, 'utf8')) as Plan;
  let at = (state as { at: number } | undefined)?.at ?? 0;
  while (at < plan.rows) {
    signal.throwIfAborted();
    const end = Math.min(at + ROWS_PER_STATE, plan.rows);
    for (; at < end; at += 1) await emit.record({ id: at, key: at % KEYS, generation: plan.generation });
    await emit.state({ at });
    await delay(PAUSE_MS);
  }
}

const source: Source = {
  spec: { connectionSpecification: { type: 'object' } },
  check: async () => undefined,
  discover: async () => ({
    streams: [
      {
        name: 'rows',
        json_schema: { type: 'object', properties: { id: integer, key: integer, generation: integer } },
        supported_sync_modes: ['full_refresh', 'incremental'],
        source_defined_cursor: true,
        is_resumable: true,
      },
    ],
  }),
  read,
};

process.exit(await runSource(source, process.argv.slice(2)));
