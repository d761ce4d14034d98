/**
 * Door "./testing": the rules that every connector keeps, as cases for any test runner. They speak to the connector
 * by its command line alone, so they also judge connectors that are not built with this SDK.
 */
import assert from 'node:assert/strict';
import type { Catalog, ConfiguredCatalog, SyncMode } from './protocol.ts';
import { invoke, keyOf, type Outcome } from './testing-invoke.ts';
import { checkSegments } from './testing-segments.ts';

export type ConformanceOptions = {
  /** Program and leading arguments; the protocol's arguments follow. */
  readonly command: readonly [string, ...string[]];
  /** A configuration that works, with at least one stream that has records. */
  readonly config: unknown;
  /** A configuration of the right shape that cannot work. */
  readonly badConfig: unknown;
  /** Whether the connector says that it hands over segments; then at least one stream of `config` must be worth one. */
  readonly segments?: boolean;
};

export type ConformanceCase = { readonly name: string; readonly run: () => Promise<void> };

type Verb = (verb: string, inputs?: Record<string, unknown>) => Promise<Outcome>;

/** The cases; each is on its own. */
export function connectorConformance(options: ConformanceOptions): ConformanceCase[] {
  const { command, config, badConfig, segments = false } = options;
  const run: Verb = (verb, inputs) => invoke({ command, verb, inputs: inputs ?? {} });
  // The cases look at one discovery and one whole read: a connector is started for what it may do otherwise only.
  const found = once(() => discover(run, config));
  const catalogOf = async (mode: SyncMode) => configured((await found()).streams, mode);
  const incremental = once(async () => {
    const catalog = await catalogOf('incremental');
    return { catalog, ...(await run('read', { config, catalog })) };
  });
  const asSegments = async () => checkSegments(command, { config, catalog: await catalogOf('full_refresh') });
  const offered = { name: 'segments hold the same number of records as lines, within their bounds', run: asSegments };
  return [
    { name: 'spec answers one SPEC with a schema of an object and exits 0', run: () => checkSpec(run) },
    { name: 'check answers SUCCEEDED to a configuration that works', run: () => checkStatus(run, config, 'SUCCEEDED') },
    {
      name: 'check answers FAILED, with exit 0, to one that does not',
      run: () => checkStatus(run, badConfig, 'FAILED'),
    },
    { name: 'an unknown verb exits 2 and prints nothing on stdout', run: () => checkUsage(run) },
    {
      name: 'discover answers one CATALOG of distinct streams with schemas',
      run: async () => void (await found()),
    },
    { name: 'discover reports an error it cannot get past and exits 1', run: () => checkDiscoverFails(run, badConfig) },
    {
      name: 'read sends only known fields of configured streams, and says how each stream ended',
      run: async () => checkRead(run, config, await catalogOf('full_refresh')),
    },
    {
      name: 'the counts of STATEs are the records since the STATE before',
      run: async () => checkCounts(await incremental()),
    },
    {
      name: 'a read from the last state repeats no record',
      run: async () => checkResume(run, config, await incremental()),
    },
    ...(segments ? [offered] : []),
  ];
}

async function checkSpec(run: Verb): Promise<void> {
  const { code, lines } = await run('spec');
  const spec = lines.find((line) => line.type === 'SPEC');
  assert.equal(code, 0);
  assert.equal(spec?.spec.connectionSpecification.type, 'object');
}

async function checkStatus(run: Verb, config: unknown, status: string): Promise<void> {
  const { code, lines } = await run('check', { config });
  const answers = lines.filter((line) => line.type === 'CONNECTION_STATUS');
  assert.equal(code, 0);
  assert.deepEqual(
    answers.map((line) => line.connectionStatus.status),
    [status],
  );
}

async function checkUsage(run: Verb): Promise<void> {
  const { code, lines, stderr } = await run('no-such-verb');
  assert.equal(code, 2);
  assert.deepEqual(lines, []);
  assert.notEqual(stderr, '');
}

async function checkDiscoverFails(run: Verb, config: unknown): Promise<void> {
  const { code, lines } = await run('discover', { config });
  assert.equal(code, 1);
  assert.ok(lines.some((line) => line.type === 'TRACE' && line.trace.type === 'ERROR'));
  assert.ok(!lines.some((line) => line.type === 'CATALOG'));
}

async function discover(run: Verb, config: unknown): Promise<Catalog> {
  const { code, lines } = await run('discover', { config });
  const catalogs = lines.filter((line) => line.type === 'CATALOG').map((line) => line.catalog);
  assert.equal(code, 0);
  assert.equal(catalogs.length, 1);
  const catalog = catalogs[0] ?? { streams: [] };
  const names = catalog.streams.map((stream) => JSON.stringify([stream.namespace ?? '', stream.name]));
  assert.ok(names.length > 0);
  assert.equal(new Set(names).size, names.length);
  for (const stream of catalog.streams) {
    assert.equal(typeof stream.json_schema.properties, 'object');
    assert.notEqual(stream.namespace ?? undefined, stream.name);
  }
  return catalog;
}

/** The result of the first call for every call. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= work();
    return result;
  };
}

function configured(streams: Catalog['streams'], mode: SyncMode): ConfiguredCatalog {
  const usable = streams.filter((stream) => stream.supported_sync_modes.includes(mode));
  return { streams: usable.map((stream) => ({ stream, sync_mode: mode, destination_sync_mode: 'append' })) };
}

async function checkRead(run: Verb, config: unknown, catalog: ConfiguredCatalog): Promise<void> {
  const { code, lines } = await run('read', { config, catalog });
  const fields = new Map(
    catalog.streams.map(({ stream }) => [keyOf(stream), new Set(Object.keys(stream.json_schema.properties ?? {}))]),
  );
  const records = lines.filter((line) => line.type === 'RECORD');
  assert.equal(code, 0);
  assert.ok(records.length > 0);
  for (const { record } of records) {
    const known = fields.get(keyOf({ name: record.stream, namespace: record.namespace ?? null }));
    assert.ok(known !== undefined, 'a record of a stream that was not asked for');
    assert.ok(
      Object.keys(record.data).every((field) => known.has(field)),
      'a field that the catalog does not name',
    );
    assert.ok(Number.isSafeInteger(record.emitted_at));
  }
  for (const key of fields.keys()) {
    const statuses = lines.flatMap((line) =>
      line.type === 'TRACE' &&
      line.trace.type === 'STREAM_STATUS' &&
      keyOf(line.trace.stream_status.stream_descriptor) === key
        ? [line.trace.stream_status.status]
        : [],
    );
    assert.equal(statuses.at(0), 'STARTED');
    assert.equal(statuses.at(-1), 'COMPLETE');
  }
}

function checkCounts({ lines }: Outcome): void {
  const since = new Map<string, number>();
  for (const line of lines) {
    if (line.type === 'RECORD') {
      const key = keyOf({ name: line.record.stream, namespace: line.record.namespace ?? null });
      since.set(key, (since.get(key) ?? 0) + 1);
    }
    if (line.type !== 'STATE' || line.state.stream === undefined) continue;
    const key = keyOf(line.state.stream.stream_descriptor);
    assert.equal(line.state.sourceStats?.recordCount, since.get(key) ?? 0);
    since.set(key, 0);
  }
}

type FirstRead = Outcome & { readonly catalog: ConfiguredCatalog };

async function checkResume(run: Verb, config: unknown, { catalog, ...first }: FirstRead): Promise<void> {
  if (catalog.streams.length === 0) return;
  const last = new Map(
    first.lines.flatMap((line) =>
      line.type === 'STATE' && line.state.stream
        ? [[keyOf(line.state.stream.stream_descriptor), line.state] as const]
        : [],
    ),
  );
  const { code, lines } = await run('read', { config, catalog, state: [...last.values()] });
  assert.equal(code, 0);
  assert.equal(lines.filter((line) => line.type === 'RECORD').length, 0);
}
