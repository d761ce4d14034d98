import type { Seeds } from './seed.ts';

/** How often a parameter takes a seeded id instead of whatever the fuzzer thinks of. */
const SEEDED = 0.8;

/** Who fuzzes, with what it may name. Ids of a foreign tenant are mixed in. */
export interface FuzzCaller {
  token: string;
  seeds: Seeds;
  foreign: Seeds;
}

const quoted = (value: string | number): string => JSON.stringify(value);

/** What operations name that write, so that others find what they read; and ids that mean another thing elsewhere. */
const OWN_IDS: Readonly<Record<string, (seeds: Seeds) => Record<string, string[]>>> = {
  'PATCH /api/v1/sources/{source_id}': ({ write }) => ({ source_id: [write.source_id] }),
  'DELETE /api/v1/sources/{source_id}': ({ retired }) => ({ source_id: retired }),
  'POST /api/v1/sources/{source_id}/sync': ({ synced }) => ({ source_id: [synced.source_id] }),
  'PUT /api/v1/sources/{source_id}/schedule': ({ write }) => ({ source_id: [write.source_id] }),
  'DELETE /api/v1/sources/{source_id}/schedule': ({ write }) => ({ source_id: [write.source_id] }),
  'POST /api/v1/sources/{source_id}/streams': ({ write }) => ({ source_id: [write.source_id] }),
  'POST /api/v1/sources/{source_id}/streams/bulk': ({ write }) => ({ source_id: [write.source_id] }),
  'POST /api/v1/sources/{source_id}/streams/refresh-schema': ({ write }) => ({ source_id: [write.source_id] }),
  'PATCH /api/v1/sources/{source_id}/streams/{stream_id}': ({ deleted }) => ({
    source_id: [deleted.source_id],
    stream_id: deleted.stream_ids.slice(0, 1),
  }),
  'DELETE /api/v1/sources/{source_id}/streams/{stream_id}': ({ deleted }) => ({
    source_id: [deleted.source_id],
    stream_id: deleted.stream_ids.slice(1),
  }),
  'POST /api/v1/sources/{source_id}/streams/{stream_id}/reset': ({ reset }) => ({
    source_id: [reset.source_id],
    stream_id: [reset.stream_id],
    'If-Match': [reset.etag],
  }),
  'POST /api/v1/sources/{source_id}/reset': ({ sourceReset }) => ({
    source_id: [sourceReset.source_id],
    'If-Match': [sourceReset.etag],
  }),
  'DELETE /api/v1/api-tokens/{api_token_id}': ({ identity }) => ({ api_token_id: identity.revokedTokens }),
  'PUT /api/v1/identity-policies/{policy_id}': ({ identity }) => ({ policy_id: [identity.writtenPolicy] }),
  'DELETE /api/v1/identity-policies/{policy_id}': ({ identity }) => ({ policy_id: identity.deletedPolicies }),
  'POST /api/v1/sources/sync-runs/{sync_run_id}/cancel': ({ running }) => ({
    sync_run_id: running.slice(0, 1).map(({ run_id }) => run_id),
  }),
  'DELETE /api/v1/webhooks/{webhook_id}': ({ webhooks }) => ({ webhook_id: webhooks.deleted }),
  'DELETE /api/v1/transforms/{transform_id}': ({ transforms }) => ({ transform_id: transforms.deleted }),
  'POST /api/v1/runs/{id}/cancel': ({ running }) => ({ id: running.slice(2).map(({ run_id }) => run_id) }),
  'POST /api/v1/workflow-engine/workflows/{workflow_id}/cancel': ({ running }) => ({
    workflow_id: running.slice(1, 2).map(({ workflow_id }) => workflow_id),
  }),
  ...Object.fromEntries(
    ['', '/logs', '/logs/download'].map((of) => [`GET /api/v1/sources/discover/status/{workflow_id}${of}`, discovery]),
  ),
};

function discovery({ read }: Seeds): Record<string, string[]> {
  return { workflow_id: read.discovery_id ?? [] };
}

/** The same, with the routes of credentials. */
function ownIds(seeds: Seeds): Record<string, Record<string, string[]>> {
  const fixed = Object.entries(OWN_IDS).map(([label, own]) => [label, own(seeds)]);
  const one = ([name, id]: [string, string]) => [name, [id]];
  const credentials = Object.entries(seeds.credentials).map(([label, { params }]) => [
    label,
    Object.fromEntries(Object.entries(params).map(one)),
  ]);
  return Object.fromEntries([...fixed, ...credentials]);
}

/** The ids of existing things that an operation may name, by parameter. */
export function idsOf(seeds: Seeds, label: string): Record<string, string[]> {
  const { read, alias } = seeds;
  const fixed = { table: read.dataset_id ?? [], alias: [alias], 'X-Tenant-ID': [alias] };
  return { ...read, ...fixed, file: ['explorer.js'], code: ['not_found'], ...ownIds(seeds)[label] };
}

/** Features that no plugin brings yet: the specification's routes answer so by name. */
const NOT_CONFIGURED = ['pipeline', 'schema-match', 'transform'].map(
  (name) => `POST /api/v1/workflow-engine/workflows/${name}`,
);

/** The configuration file of Schemathesis for one caller, as TOML. */
export function fuzzConfiguration({ token, seeds, foreign }: FuzzCaller): string {
  const dictionaries: string[] = [];
  const bind = (place: string, name: string, values: readonly string[]): string => {
    const dictionary = `d${dictionaries.length}`;
    dictionaries.push(`[dictionaries.${dictionary}]\nvalues = [${values.map(quoted).join(', ')}]`);
    return `${quoted(`${place}.${name}`)} = { dictionary = ${quoted(dictionary)}, probability = ${SEEDED} }`;
  };
  const everywhere = Object.entries(idsOf(seeds, '')).flatMap(([name, values]) => {
    if (name === 'X-Tenant-ID') return [];
    const mixed = [...values, ...values, ...(foreign.read[name] ?? []).slice(0, 1)];
    return [bind(name === 'snapshot_id' ? 'query' : 'path', name, mixed)];
  });
  const operation = (label: string, ...lines: string[]) =>
    ['[[operations]]', `include-name = ${quoted(label)}`, ...lines].join('\n');
  const operations = [
    ...Object.entries(ownIds(seeds)).map(([label, own]) => {
      const ids = Object.entries(own).filter(([name]) => name !== 'If-Match');
      return operation(label, '[operations.parameters]', ...ids.map(([name, values]) => bind('path', name, values)));
    }),
    operation('GET /api/v1/events', 'max-stream-events = 1', 'request-timeout = 3'),
    ...NOT_CONFIGURED.map((label) =>
      operation(label, '[operations.checks.not_a_server_error]', 'expected-statuses = ["2xx", "3xx", "4xx", 501]'),
    ),
  ];
  return [
    `headers = { "X-Tenant-ID" = ${quoted(seeds.alias)} }`,
    '[auth.openapi.bearer]',
    `bearer = ${quoted(token)}`,
    '[phases.examples]',
    'extra-data-sources = { responses = false }',
    'fill-missing = true',
    '[phases.coverage]',
    'extra-data-sources = { responses = false }',
    '[parameters]',
    ...everywhere,
    ...dictionaries,
    ...operations,
    '',
  ].join('\n');
}
