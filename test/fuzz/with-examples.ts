import type { Seeds } from './seed.ts';
import { HARMLESS } from './seed-identity.ts';
import { WEBHOOK_URL } from './seed-webhooks.ts';

interface Operation {
  parameters?: { name: string; in: string; example?: unknown; schema: object }[];
  requestBody?: { content: Record<string, { example?: unknown }> };
}

/** The parts of an OpenAPI document that examples go into. */
export interface Document {
  paths: Record<string, Record<string, Operation>>;
}

const schema = { type: 'object', properties: { id: { type: 'integer' } } };

/** Bodies that the seeded things let succeed, by operation. */
function bodies({ alias, data, rejecting, credentials }: Seeds): Record<string, unknown> {
  const source_config = { path: data };
  const streams = [{ name: 'orders', schema, supported_sync_modes: ['full_refresh', 'incremental'] }];
  return {
    ...Object.fromEntries(Object.entries(credentials).map(([label, { body }]) => [label, body])),
    'POST /api/v1/sources': { name: `f-${alias}`, pattern_id: 'files', source_config },
    'POST /api/v1/sources/discover': { pattern_id: 'files', source_config },
    'PATCH /api/v1/sources/{source_id}': { source_config },
    'POST /api/v1/sources/{source_id}/streams': { name: 'made', schema },
    'POST /api/v1/sources/{source_id}/streams/bulk': { streams: [{ name: 'bulk', schema }] },
    'POST /api/v1/sources/{source_id}/streams/refresh-schema': { streams },
    'PATCH /api/v1/sources/{source_id}/streams/{stream_id}': { enabled: false },
    'PUT /api/v1/sources/{source_id}/schedule': { cron: ['0 0 29 2 *'], timezone: 'Europe/Kyiv' },
    'POST /api/v1/sources/{source_id}/schedule/pause': { reason: 'fuzzing' },
    'POST /api/v1/sources/quarantine-replays': { dataset_id: rejecting },
    'POST /api/v1/identity-policies': { name: `p-${alias}`, kind: 'access', document: HARMLESS },
    'PUT /api/v1/identity-policies/{policy_id}': { document: HARMLESS, expected_version: 1 },
    'POST /api/v1/identity-policies/{policy_id}/clone': { name: `c-${alias}` },
    'POST /api/v1/identity-policies/{policy_id}/dry-run': {
      principals: [{ claims: { sub: 'ann' } }],
      requests: [{ action: 'identity.list_users' }],
    },
    'POST /api/v1/webhooks': { name: 'fuzzed', url: WEBHOOK_URL, events: ['run.failed'] },
    'PATCH /api/v1/webhooks/{webhook_id}': { events: ['run.recovered'] },
    'POST /api/v1/transforms': { name: 'fuzzed', sql: 'select 1 as one', output: `gold.${alias}.fuzzed` },
    'PATCH /api/v1/transforms/{transform_id}': { tags: ['fuzzed'] },
    'PUT /api/v1/admission': { open: true, reason: 'fuzzing' },
    'PUT /api/v1/tenants/{alias}/limits': { runs_per_day: null, concurrent_runs: null, storage_bytes: 0 },
  };
}

/** A copy of the document in which parameters and bodies have examples of things that exist. */
export function withExamples(
  document: Document,
  seeds: Seeds,
  idsOf: (label: string) => Record<string, string[]>,
): Document {
  const copy = structuredClone(document);
  for (const [path, operations] of Object.entries(copy.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const label = `${method.toUpperCase()} ${path}`;
      const ids = idsOf(label);
      if (ids['If-Match'] !== undefined)
        operation.parameters?.push({ name: 'If-Match', in: 'header', schema: { type: 'string' } });
      for (const parameter of operation.parameters ?? []) {
        const [example] = ids[parameter.name] ?? [];
        if (example !== undefined && ['path', 'header'].includes(parameter.in)) parameter.example = example;
      }
      const body = bodies(seeds)[label];
      for (const media of Object.values(operation.requestBody?.content ?? {}))
        if (body !== undefined) media.example = body;
    }
  }
  return copy;
}
