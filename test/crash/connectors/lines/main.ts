import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type JsonSchema, type ReadContext, recordEnvelope, runSource, type Source } from '@weir/connector-sdk';

const POLL_MS = 20;
const STDOUT = 1;

/** What to say next; bytes are in base64. */
type Step =
  /** The `data` of a record, whatever it is. */
  | { data: string }
  /** A record whose string `s` has so many characters. */
  | { id: number; long: number }
  /** So many records with ids from `from` on. */
  | { from: number; count: number; text?: string }
  /** Those too, each with so many bytes that no compression makes fewer. */
  | { from: number; count: number; noise: number }
  | { state: unknown }
  | { pauseMs: number }
  /** Goes on once the file is there. */
  | { until: string }
  /** The beginning of a record, and the end of the program; once, as the file `once` tells. */
  | { cut: string; once: string };

interface Script {
  schema: JsonSchema;
  steps: Step[];
}

const scriptOf = (config: unknown) => JSON.parse(readFileSync((config as { path: string }).path, 'utf8')) as Script;

async function read({ config, emit, stream, emittedAt, state }: ReadContext): Promise<void> {
  const { prefix, suffix } = recordEnvelope({ name: stream.stream.name }, emittedAt);
  const line = (data: string | Buffer) =>
    emit.lines(Buffer.concat([Buffer.from(prefix), Buffer.from(data), Buffer.from(suffix)]), 1);
  const { steps } = scriptOf(config);
  for (const step of steps.slice((state as { step: number } | undefined)?.step ?? 0)) {
    if ('data' in step) await line(Buffer.from(step.data, 'base64'));
    else if ('long' in step) await line(JSON.stringify({ id: step.id, s: 'x'.repeat(step.long) }));
    else if ('from' in step) {
      const text = () => ('noise' in step ? randomBytes(step.noise).toString('base64') : (step.text ?? ''));
      for (let id = step.from; id < step.from + step.count; id += 1) await emit.record({ id, s: text() });
    } else if ('pauseMs' in step) await delay(step.pauseMs);
    else if ('until' in step) while (!existsSync(step.until)) await delay(POLL_MS);
    else if ('state' in step) await emit.state({ step: steps.indexOf(step) + 1 });
    else if (!existsSync(step.once)) {
      writeFileSync(step.once, '');
      writeSync(STDOUT, Buffer.concat([Buffer.from(prefix), Buffer.from(step.cut, 'base64')]));
      process.exit(1);
    }
  }
}

const source: Source = {
  spec: { connectionSpecification: { type: 'object' } },
  check: async () => undefined,
  discover: async (config) => ({
    streams: [
      {
        name: 'rows',
        json_schema: scriptOf(config).schema,
        supported_sync_modes: ['full_refresh', 'incremental'],
        source_defined_cursor: true,
        is_resumable: true,
      },
    ],
  }),
  read,
};

process.exit(await runSource(source, process.argv.slice(2)));
