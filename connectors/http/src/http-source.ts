import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CatalogStream,
  defineSource,
  type JsonSchema,
  type ReadContext,
  recordEnvelope,
  type Source,
} from '@weir/connector-sdk';
import { createEgress, type Egress, EgressError, egressSettings } from '@weir/egress';
import { MAX_BODY_BYTES } from './answer/decode.ts';
import type { Row } from './answer/row.ts';
import { EGRESS_FAULTS, fault } from './fault.ts';
import { loadManifest, MANIFEST_KEY } from './manifest/load-manifest.ts';
import { type Part, partIn } from './manifest/part.ts';
import { isPlainObject } from './manifest/resolve-refs.ts';
import { warningsOf } from './manifest/without-effect.ts';
import { type HttpStream, httpStream, streamParts } from './read-stream.ts';
import { concurrencyOf, rateLimitsOf } from './request/rate-limits.ts';
import type { SendDeps } from './request/send-deps.ts';
import { inferSchema } from './schema/infer-schema.ts';
import type { Dictionary } from './template/value.ts';

export type HttpSourceDeps = {
  readonly egress: () => Egress;
  readonly sleep?: SendDeps['sleep'];
  readonly now?: () => number;
  readonly onExchange?: SendDeps['onExchange'];
  readonly onWait?: SendDeps['onWait'];
  readonly onRotated: SendDeps['onRotated'];
};

/** The way out that the operator's settings in an environment allow. */
export function operatorEgress(environment: Readonly<Record<string, string | undefined>>): Egress {
  return createEgress({ ...egressSettings(environment), maxBytes: MAX_BODY_BYTES });
}

/** How many records a check and a schema without one in the manifest are satisfied with. */
const SAMPLE_RECORDS = 100;

/** How long a check and a discovery wait for a server that fails, in milliseconds: they answer a person. */
const PATIENCE_MS = 10_000;

/** What a run works with: the manifest, and its streams as the configuration makes them. */
export type OpenManifest = {
  readonly manifest: Part;
  readonly parts: ReadonlyMap<string, Part>;
  readonly stream: (name: string) => HttpStream;
  readonly secrets: Set<string>;
};

/** Opens the manifest that a configuration carries; the manifest itself is no part of what expressions can name. */
export function openManifest(given: unknown, deps: HttpSourceDeps, patienceMs?: number): OpenManifest {
  if (!isPlainObject(given)) throw fault('config_invalid');
  const { [MANIFEST_KEY]: raw, ...rest } = given;
  const config = rest as Dictionary;
  const manifest = loadManifest(raw);
  const secrets = new Set<string>();
  const sendDeps = {
    egress: checkedEgress(deps.egress),
    sleep: deps.sleep ?? ((ms, signal) => sleep(ms, undefined, { signal })),
    now: deps.now ?? Date.now,
    ...(patienceMs === undefined ? {} : { patienceMs }),
    secrets,
    limits: rateLimitsOf(partIn(manifest, 'api_budget'), config),
    concurrency: concurrencyOf(manifest, config),
    ...(deps.onExchange === undefined ? {} : { onExchange: deps.onExchange }),
    ...(deps.onWait === undefined ? {} : { onWait: deps.onWait }),
    onRotated: deps.onRotated,
  };
  const parts = streamParts(manifest, config);
  return {
    manifest,
    parts,
    secrets,
    stream(name) {
      const part = parts.get(name);
      if (part === undefined) throw fault('stream_unknown');
      return httpStream(part, config, sendDeps);
    },
  };
}

function checkedEgress(egress: () => Egress): () => Egress {
  let made: Egress | undefined;
  return () => {
    try {
      made ??= egress();
      return made;
    } catch (error) {
      throw error instanceof EgressError ? fault(EGRESS_FAULTS[error.code]) : error;
    }
  };
}

/** The streams of an HTTP API that a declarative manifest describes. */
export function httpSource(deps: HttpSourceDeps): Source {
  const connectionSpecification = {
    type: 'object',
    properties: { [MANIFEST_KEY]: { type: 'object', title: 'Manifest' } },
    additionalProperties: true,
  };
  return defineSource({
    spec: { connectionSpecification },
    async check(config) {
      const open = openManifest(config, deps, PATIENCE_MS);
      const check = partIn(open.manifest, 'check');
      const named = check?.fields.stream_names;
      const names = Array.isArray(named) && named.length > 0 ? named.map(String) : [...open.parts.keys()].slice(0, 1);
      // Every stream is put together, so that a fault anywhere in the manifest is told now.
      for (const name of open.parts.keys()) open.stream(name);
      for (const name of names) await sampleOf(open.stream(name), 1);
    },
    async discover(config) {
      const open = openManifest(config, deps, PATIENCE_MS);
      const streams: CatalogStream[] = [];
      for (const name of open.parts.keys()) streams.push(await described(open.stream(name)));
      return { streams };
    },
    read: (context) => readStream(context, openManifest(context.config, deps)),
  });
}

/** The first records of a stream. */
export async function sampleOf(stream: HttpStream, most: number): Promise<Row[]> {
  const enough = new AbortController();
  const sample: Row[] = [];
  const reading = {
    state: undefined,
    signal: enough.signal,
    onState: async () => undefined,
    async onRows(rows: readonly Row[]) {
      sample.push(...rows.slice(0, most - sample.length));
      if (sample.length >= most) enough.abort();
    },
  };
  try {
    await stream.read(reading);
  } catch (error) {
    if (!enough.signal.aborted) throw error;
  }
  return sample;
}

async function described(stream: HttpStream): Promise<CatalogStream> {
  const { part, cursor, name } = stream;
  const given = partIn(part, 'schema_loader')?.fields.schema;
  const schema = isPlainObject(given ?? null)
    ? (given as JsonSchema)
    : inferSchema(await sampleOf(stream, SAMPLE_RECORDS));
  const key = keyPaths(part.fields.primary_key);
  return {
    name,
    json_schema: schema.type === undefined ? { type: 'object', ...schema } : schema,
    supported_sync_modes: cursor === undefined ? ['full_refresh'] : ['full_refresh', 'incremental'],
    ...(cursor === undefined ? {} : { source_defined_cursor: true, default_cursor_field: [cursor.field] }),
    ...(key.length === 0 ? {} : { source_defined_primary_key: key }),
    is_resumable: cursor !== undefined,
  };
}

function keyPaths(key: unknown): string[][] {
  if (typeof key === 'string') return key === '' ? [] : [[key]];
  return Array.isArray(key)
    ? key.map((path: unknown) => (Array.isArray(path) ? path.map(String) : [String(path)]))
    : [];
}

async function readStream({ stream, state, emit, emittedAt, signal }: ReadContext, open: OpenManifest): Promise<void> {
  const { name } = stream.stream;
  const idle = warningsOf(open.parts.get(name) ?? open.manifest);
  for (const { pointer, message } of idle) await emit.log('WARN', `${pointer}: ${message}`);
  const { prefix, suffix } = recordEnvelope({ name }, emittedAt);
  await open.stream(name).read({
    state,
    signal,
    onState: emit.state,
    onRows: (rows) =>
      emit.lines(Buffer.from(rows.map((row) => `${prefix}${JSON.stringify(row)}${suffix}`).join('')), rows.length),
  });
}
