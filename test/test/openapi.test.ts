import { type Endpoint, EXAMPLE_ID, fullPath } from '@weir/kernel/contract';
import t from 'tap';
import { signBody } from '../../plugins/sources/src/model/pattern/webhook-signature.ts';
import { keyFile } from '../key-file.ts';
import { type TestPlatform, testPlatform } from '../platform.ts';

interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  parameters: { name: string; description?: string }[];
  requestBody?: { content: Record<string, { example?: unknown }> };
  responses: Record<string, { description: string }>;
}

interface Document {
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
}

/** The service whose calls these tests make, and the secrets that sign the calls of webhooks. */
const SERVICE = 'robot';
const SECRETS: Readonly<Record<string, string>> = {
  'patterns:register': 'a secret for the patterns of the examples',
  'patterns:reconcile': 'another secret for the patterns of the examples',
};

/** Examples that a platform without worker, tables and secret store refuses, each with the code of its refusal. */
const REFUSED: Readonly<Record<string, string>> = {
  // Their table is not there, so no transform is proposed, and the proposal that is there is of another task.
  'ai.compose_pipeline': 'not_found',
  'ai.generate_transform': 'not_found',
  'ai.publish_transform': 'proposal_not_transform',
  'apply.apply': 'plan_stale',
  // Their run is another one: no worker has looked at an image.
  'sources.register_inspected': 'not_found',
  // No plugin of the deployment is optional.
  'platform.set_tenant_plugin': 'plugin_not_optional',
  // Their run has ended: an example before them has completed it.
  'runs.fail_run': 'run_not_active',
  // Credentials are in the database here.
  'sources.set_credentials': 'credential_mode_unsupported',
  'sources.rotate_credentials': 'credential_mode_unsupported',
  'sources.migrate_credentials': 'credential_mode_unsupported',
  // Nobody has hydrated their transform, for want of its input.
  'transforms.materialize': 'transform_not_ready',
  'transforms.execute': 'transform_not_ready',
  // Their transform is not there.
  'transforms.materialize_all': 'steps_refused',
  // Their table is not there.
  'ontology.create_backing_dataset': 'backing_dataset_invalid',
  'ontology.change_backing_dataset': 'not_found',
  'ontology.suggest_mappings': 'not_found',
  'ontology.preview_backing_dataset': 'backing_dataset_invalid',
  // No workers prove the queues.
  'ontology.set_sync_route': 'sync_route_not_proven',
  // Their steps name transforms that are not there, so no pipeline is made.
  'pipelines.create_pipeline': 'steps_refused',
  'pipelines.validate_dag': 'not_found',
  'pipelines.put_pipeline': 'not_found',
  'pipelines.change_pipeline_step': 'validation_failed',
  'pipelines.activate_pipeline': 'not_found',
  'pipelines.pause_pipeline': 'not_found',
  'pipelines.create_pipeline_version': 'not_found',
  'pipelines.run_pipeline': 'not_found',
  'pipelines.sandbox_pipeline': 'not_found',
  'pipelines.put_schedule': 'not_found',
  'pipelines.pause_schedule': 'not_found',
  // No sync has filled the table that they name.
  'lineage.read_impact': 'not_found',
  'datasets.maintain': 'not_found',
  'datasets.change_maintenance': 'not_found',
  'transforms.run_query': 'input_missing',
  'transforms.preview_transform': 'input_missing',
  'transform_patterns.preview_transform_pattern': 'input_missing',
};

/** After them no run starts, and no source is made. */
const LAST = /set_admission|reconcile_patterns/;

/** The plugin that brings a workflow says what the body is. */
const UNDECLARED = /^workflow_engine\.start_/;

t.test('the OpenAPI document is complete, and its examples are what the routes take', async (t) => {
  const folder = t.testdir();
  const platform = await testPlatform(t, folder, {
    WEIR_SERVICE_PRINCIPALS: JSON.stringify({ [SERVICE]: { tenants: '*', capabilities: ['run:callback'] } }),
    WEIR_CREDENTIAL_KEY_FILE: keyFile(folder),
    WEIR_EGRESS_ALLOW: '127.0.0.0/8',
    PATTERN_WEBHOOK_SECRET: SECRETS['patterns:register'] ?? '',
    PATTERN_ADMIN_SECRET: SECRETS['patterns:reconcile'] ?? '',
  });

  await t.test('every operation, parameter, body and answer says what it is', async (t) => {
    const answer = await fetch(new URL('/openapi.json', platform.api.url));
    const text = await answer.text();
    t.notMatch(text, /"properties":\{[^{}]*"\w+":(true|false)/, 'no schema of a member is a bare boolean');
    const { tags, paths } = JSON.parse(text) as Document;
    const described = new Set(tags.filter(({ description }) => /\w\.$/.test(description)).map(({ name }) => name));
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
    t.ok(operations.length > 150);
    t.strictSame(operations.flatMap(missingOf), []);
    const examples = new Map(
      platform.api.app.declaredRoutes.map(({ endpoint: { id, example } }) => [id, JSON.stringify(example)]),
    );
    t.strictSame(
      operations.flatMap(({ operationId: id, requestBody }) =>
        Object.values(requestBody?.content ?? {})
          .filter(({ example }) => JSON.stringify(example) !== examples.get(id))
          .map(() => id),
      ),
      [],
      'an example is published as it is declared',
    );
    t.strictSame(
      operations.flatMap((operation) => operation.tags).filter((tag) => !described.has(tag)),
      [],
      'every tag has a sentence',
    );
  });

  await t.test('example of a body → its route takes it, or refuses it for a reason that is named here', async (t) => {
    const declared = platform.api.app.declaredRoutes.map(({ endpoint }) => endpoint);
    const calls = declared.filter(({ example }) => example !== undefined);
    t.ok(calls.length > 40);
    t.strictSame(Object.fromEntries(await makeAll(platform, calls)), REFUSED);
  });
});

/** What an operation leaves out that a reader of the document needs. */
function missingOf(operation: Operation): string[] {
  const { operationId: id, summary, description, parameters, requestBody, responses } = operation;
  const unsaid = parameters.filter((parameter) => !parameter.description).map(({ name }) => `parameter ${name}`);
  const body = requestBody?.content['application/json'];
  const answer = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1].description;
  const missing = [
    ...unsaid,
    ...(/^[A-Z].*[^.]$/.test(summary) ? [] : ['summary']),
    ...(description === '' ? ['description'] : []),
    ...(body === undefined || body.example !== undefined || UNDECLARED.test(id) ? [] : ['example']),
    ...(answer && answer !== summary ? [] : ['answer']),
  ];
  return missing.map((what) => `${id}: ${what}`);
}

/** Names that examples of bodies fit, where no call before them has made one. */
const NAMED = {
  full_id: 'core:Commerce:Order',
  subject: 'shop.order',
  version: '1',
  code: 'Vehicle',
  dataset_id: 'bronze.acme.orders',
};

/** Makes the calls until no further one succeeds, as some name what others make; answers what refuses the rest. */
async function makeAll(platform: TestPlatform, calls: readonly Endpoint[]): Promise<Map<string, string>> {
  const ids: Record<string, string> = { alias: 'acme', plugin_id: 'sources', pattern_id: 'deduplicate', ...NAMED };
  const refused = new Map(calls.map(({ id }) => [id, 'not called']));
  const ordered = calls.toSorted((a, b) => Number(LAST.test(a.id)) - Number(LAST.test(b.id)));
  for (let before = Number.POSITIVE_INFINITY; refused.size < before; ) {
    before = refused.size;
    for (const endpoint of ordered.filter(({ id }) => refused.has(id))) {
      const { code, made } = await send(platform, endpoint, ids);
      if (code === undefined) refused.delete(endpoint.id);
      else refused.set(endpoint.id, code);
      for (const [name, value] of Object.entries(made)) if (name.endsWith('_id')) ids[name] ??= String(value);
    }
  }
  return refused;
}

/** Sends the example of one, of the tenant of the test and with ids of what was made. */
async function send(platform: TestPlatform, endpoint: Endpoint, ids: Readonly<Record<string, string>>) {
  const { access, query, method } = endpoint;
  const named: Record<string, string | undefined> = { ...ids, id: ids.run_id, ...meantAt(endpoint) };
  const path = fullPath(endpoint).replace(/:(\w+)/g, (_, name: string) => named[name] ?? EXAMPLE_ID);
  const url = new URL(path, platform.api.url);
  if (query?.properties.queue !== undefined) url.searchParams.set('queue', 'true');
  const body = JSON.stringify(endpoint.example, (name, value) => {
    if (name === 'tenant' && value === 'demo') return 'acme';
    return value === EXAMPLE_ID ? (named[name] ?? value) : value;
  });
  const payload = body.replaceAll('.demo.', '.acme.').replace('https://hooks.example.com', 'http://127.0.0.1');
  const role = access.kind === 'platform' ? 'platform_admin' : 'admin';
  const isService = 'callers' in access;
  const token = isService ? await platform.issuer.serviceToken(SERVICE) : await platform.token('acme', role);
  const answer = await fetch(url, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(access.kind === 'webhook'
        ? signBody(SECRETS[access.permission] ?? '', payload, new Date())
        : { authorization: `Bearer ${token}` }),
      ...(access.kind === 'tenant' ? { 'x-tenant-id': 'acme' } : {}),
    },
    body: payload,
  });
  const said = (await answer.json()) as Record<string, unknown>;
  return answer.ok ? { code: undefined, made: said } : { code: String(said.code), made: {} };
}

/** Ids that mean another thing at a route than their name says elsewhere. */
function meantAt({ path }: Endpoint): Record<string, string> {
  return path.startsWith('/sql-transforms') ? { transform_id: 'trim' } : {};
}
