import { parseExact, SourceError } from '@weir/connector-sdk';
import type { Egress } from '@weir/egress';
import type { Row } from './answer/row.ts';
import { pointerOf } from './fault.ts';
import { openManifest } from './http-source.ts';
import { MANIFEST_KEY } from './manifest/load-manifest.ts';
import { isPlainObject } from './manifest/resolve-refs.ts';
import { type Warning, warningsOf } from './manifest/without-effect.ts';
import { maskerOf, secretTexts } from './mask.ts';
import type { Seen, SendDeps } from './request/send-deps.ts';

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
  /** What of the manifest does nothing here. */
  readonly warnings: readonly Warning[];
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
  let unwaited: number | undefined;
  let used: Iterable<string> = [];
  let warnings: readonly Warning[] = [];
  try {
    const given = isPlainObject(config) ? { ...config, [MANIFEST_KEY]: manifest as never } : config;
    const open = openManifest(given, {
      egress,
      sleep: shortSleep((seconds) => {
        unwaited = seconds;
      }),
      onExchange: (seen) => void (requests.length < MAX_REQUESTS && requests.push(seen)),
      onRotated: async () => undefined,
    });
    used = open.secrets;
    warnings = warningsOf(open.manifest);
    const streams = [...open.parts.keys()];
    const chosen = stream ?? streams[0] ?? '';
    facts = { stream: chosen, streams };
    if (stream !== undefined && !streams.includes(stream)) throw noStream(streams);
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
    if (!enough.signal.aborted) fault = faultOf(error, unwaited);
  }
  const report = { ...facts, requests, records, warnings, state, fault };
  const mask = maskerOf([...secrets, ...used]);
  return { report, text: mask(JSON.stringify(report, null, 2)) };
}

/** What a test fails with; `unwaited` are the seconds that it would have waited before another try. */
function faultOf(error: unknown, unwaited: number | undefined): NonNullable<TestReport['fault']> {
  if (!(error instanceof SourceError)) throw error;
  const { code, message, hint } = error;
  const patience = unwaited === undefined ? [] : [`A test does not wait the ${unwaited} seconds until the next try.`];
  const told = [...(hint === undefined ? [] : [hint]), ...patience].join(' ');
  return { code, message, hint: told === '' ? null : told, pointer: pointerOf(error) ?? null };
}

const noStream = (streams: readonly string[]) =>
  new SourceError('stream_unknown', {
    type: 'config_error',
    message: 'The manifest has no stream of this name',
    hint: `Its streams: ${streams.join(', ')}`,
  });

/**
 * Waits for a short while. A longer wait ends the test with the failure that it is for, and tells how many seconds it
 * would be; so does a server that is not there, at once.
 */
function shortSleep(told: (seconds: number) => void): SendDeps['sleep'] {
  return async (ms, signal, failure) => {
    if (failure?.code === 'server_unreachable') throw failure;
    const seconds = Math.ceil(ms / 1000);
    if (ms > MAX_WAIT_MS && failure !== undefined) {
      told(seconds);
      throw failure;
    }
    if (ms > MAX_WAIT_MS) {
      throw new SourceError('wait_too_long', {
        type: 'transient_error',
        message: 'A test does not wait for as long as the manifest asks',
        hint: `${seconds} seconds would be waited. Look at api_budget.`,
      });
    }
    const { setTimeout: sleep } = await import('node:timers/promises');
    await sleep(ms, undefined, { signal });
  };
}

/** The report for a terminal. */
export function reportText(masked: string): string {
  const { stream, streams, requests, records, warnings, state, fault } = JSON.parse(masked) as TestReport;
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
  if (warnings.length > 0)
    lines.push('', 'warnings', ...warnings.map(({ pointer, message }) => `  ${pointer}: ${message}`));
  if (fault !== null)
    lines.push(
      '',
      `fault ${fault.code}: ${fault.message}`,
      ...(fault.pointer === null ? [] : [`  at ${fault.pointer}`]),
      ...(fault.hint === null ? [] : [`  hint: ${fault.hint}`]),
    );
  return `${lines.join('\n')}\n`;
}

function recordLines(masked: string): string[] {
  const { records } = parseExact(masked) as { records: unknown[] };
  return records.map((record) => JSON.stringify(record));
}
