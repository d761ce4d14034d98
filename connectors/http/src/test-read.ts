import { parseExact, SourceError } from '@weir/connector-sdk';
import type { Egress } from '@weir/egress';
import type { Row } from './answer/row.ts';
import { pointerOf } from './fault.ts';
import { openManifest } from './http-source.ts';
import { MANIFEST_KEY } from './manifest/load-manifest.ts';
import { isPlainObject } from './manifest/resolve-refs.ts';
import { maskerOf, secretTexts } from './mask.ts';
import type { Seen } from './request/send-deps.ts';

/** How many records a test shows, and how many requests of it. */
const MAX_RECORDS = 10;
const MAX_REQUESTS = 50;
/** The longest wait of a test, in milliseconds: one who waits for it wants to know rather than to wait. */
const MAX_WAIT_MS = 5_000;

export type TestInput = { readonly manifest: unknown; readonly config: unknown; readonly stream?: string };
export type TestReport = {
  readonly stream: string | null;
  readonly streams: readonly string[];
  readonly requests: readonly Seen[];
  readonly records: readonly Row[];
  /** What the next read would go on from; null when there is no cursor, or when ten records did not come so far. */
  readonly state: unknown;
  readonly fault: { code: string; message: string; hint: string | null; pointer: string | null } | null;
};

/** Reads ten records of one stream, for the one who writes a manifest. Nothing secret is in the report, which is JSON text. */
export async function testRead(
  { manifest, config, stream }: TestInput,
  egress: () => Egress,
): Promise<{ report: TestReport; text: string }> {
  const requests: Seen[] = [];
  const records: Row[] = [];
  const enough = new AbortController();
  const secrets = new Set(secretTexts(isPlainObject(manifest) ? manifest.spec : undefined, config));
  let facts: Pick<TestReport, 'stream' | 'streams'> = { stream: stream ?? null, streams: [] };
  let state: unknown = null;
  let fault: TestReport['fault'] = null;
  let used: Iterable<string> = [];
  try {
    const given = isPlainObject(config) ? { ...config, [MANIFEST_KEY]: manifest as never } : config;
    const open = openManifest(given, {
      egress,
      sleep: shortSleep,
      onExchange: (seen) => void (requests.length < MAX_REQUESTS && requests.push(seen)),
      onRotated: async () => undefined,
    });
    used = open.secrets;
    const streams = [...open.parts.keys()];
    const chosen = stream ?? streams[0] ?? '';
    facts = { stream: chosen, streams };
    await open.stream(chosen).read({
      state: undefined,
      signal: enough.signal,
      onState: async (at) => {
        state = at;
      },
      async onRows(rows) {
        records.push(...rows.slice(0, MAX_RECORDS - records.length));
        if (records.length >= MAX_RECORDS) enough.abort();
      },
    });
  } catch (error) {
    if (!enough.signal.aborted) fault = faultOf(error);
  }
  const report = { ...facts, requests, records, state, fault };
  const mask = maskerOf([...secrets, ...used]);
  return { report, text: mask(JSON.stringify(report, null, 2)) };
}

function faultOf(error: unknown): NonNullable<TestReport['fault']> {
  if (!(error instanceof SourceError)) throw error;
  const { code, message, hint = null } = error;
  return { code, message, hint, pointer: pointerOf(error) ?? null };
}

async function shortSleep(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > MAX_WAIT_MS) {
    throw new SourceError('wait_too_long', {
      type: 'transient_error',
      message: 'A test does not wait for as long as the manifest or the server asks',
      hint: `${Math.ceil(ms / 1000)} seconds would be waited. Look at the last answer, and at backoff_strategies and api_budget.`,
    });
  }
  const { setTimeout: sleep } = await import('node:timers/promises');
  await sleep(ms, undefined, { signal });
}

/** The report for a terminal. */
export function reportText(masked: string): string {
  const { stream, streams, requests, records, state, fault } = JSON.parse(masked) as TestReport;
  const lines = [`stream ${stream ?? '-'}${streams.length > 1 ? ` (of ${streams.join(', ')})` : ''}`, '', 'requests'];
  for (const { method, url, headers, body, status, bytes } of requests) {
    lines.push(`  ${method} ${url}`);
    for (const [name, value] of Object.entries(headers)) lines.push(`    ${name}: ${value}`);
    if (body !== undefined) lines.push(`    ${body}`);
    lines.push(`    -> ${status === undefined ? 'no answer' : `${status}, ${bytes} bytes`}`);
  }
  const shown = recordLines(masked);
  lines.push(
    '',
    `records (${records.length})`,
    ...shown.map((line) => `  ${line}`),
    '',
    'state',
    `  ${JSON.stringify(state)}`,
  );
  if (fault !== null)
    lines.push(
      '',
      `fault ${fault.code}: ${fault.message}`,
      `  at ${fault.pointer ?? '-'}`,
      `  hint: ${fault.hint ?? '-'}`,
    );
  return `${lines.join('\n')}\n`;
}

function recordLines(masked: string): string[] {
  const { records } = parseExact(masked) as { records: unknown[] };
  return records.map((record) => JSON.stringify(record));
}
