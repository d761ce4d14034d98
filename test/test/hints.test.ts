import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Endpoint, NextStepEntry } from '@weir/kernel/contract';
import { pathNames, placesOf } from '@weir/kernel/contract';
import { readEvents } from '@weir/plugin-platform/contract';
import { createSource, deleteSource, getSourceReadiness, updateSource } from '@weir/plugin-sources/contract';
import { createTransform, getTransformDetail } from '@weir/plugin-transforms/contract';
import t from 'tap';
import { PAGES } from '../../ui/src/faults/next-pages.ts';
import { listFiles } from '../checks/files.ts';
import { testPlatform } from '../platform.ts';
import { until } from '../until.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const FOLDER = new URL('../fixtures/shop', import.meta.url).pathname;

t.test('each change of a source is a hint with its new etag, for its own tenant alone', async (t) => {
  const world = await testPlatform(t, t.testdir());
  const who = async (tenant: string) => ({ token: await world.token(tenant), tenant });
  const [acme, other] = [await who('acme'), await who('other')];
  const hintsOf = async (reader: typeof acme, last_event_id: string) => {
    const answer = await world.call(reader, readEvents, { query: { topics: 'source', last_event_id } });
    if (!answer.ok) throw new Error(answer.problem.code);
    return answer.body;
  };
  const begin = await world.call(acme, readEvents, { query: {} });
  const start = begin.ok ? begin.body.last_event_id : '';
  const made = await world.call(acme, createSource, {
    body: { name: 'shop', pattern_id: 'files', source_config: { path: FOLDER } },
  });
  if (!made.ok) throw new Error(made.problem.code);
  const { source_id, etag } = made.body;
  await world.call(acme, updateSource, { params: { source_id }, body: { name: 'store' } });
  await world.call(acme, updateSource, { params: { source_id }, body: { name: 'Not a name' } });
  await world.call(acme, deleteSource, { params: { source_id } });
  const hint = (version: string) => ({ topic: 'source', id: source_id, version });
  // A hint is told once nothing that began before it is under way, whosever it is in this database.
  const items = await until('the hint of the last change', async () => {
    const { items: found } = await hintsOf(acme, start);
    return found.some(({ version }) => version === String(Number(etag) + 2)) && found;
  });
  t.match(items, [hint(etag), hint(String(Number(etag) + 1)), hint(String(Number(etag) + 2))]);
  t.equal(items.length, 3, 'a change that was refused is none');
  t.strictSame((await hintsOf(other, start)).items, []);
});

/** Words of one surface: a call of the API, a command, a place that nobody has filled. */
const OF_ONE_SURFACE = /\b(GET|POST|PUT|PATCH|DELETE) \/|\bweir [a-z-]+|\{\w|openapi\.json/;
/** What problems are thrown with, beside the parameters of the call's path. */
const THROWN_WITH: Readonly<Record<string, readonly string[]>> = {
  run_already_active: ['run_id'],
  tenant_alias_taken: ['alias'],
  pattern_version_not_in_force: ['pattern_id'],
  credential_not_attached: ['source_id'],
  pattern_id_taken: ['pattern_id'],
  proposal_changed: ['execution_id'],
};
/** Operations that help and have no page: they are left out there. */
const WITHOUT_PAGE = [
  ...[
    'ai.get_execution',
    'ai.list_executions',
    'apply.dry_run',
    'identity.get_me',
    'ontology.get_backing_dataset_health',
    'ontology.get_sync_capabilities',
    'pipelines.activate_pipeline',
    'pipelines.put_schedule',
    'pipelines.read_pipeline_readiness',
    'pipelines.sandbox_pipeline',
    'pipelines.validate_dag',
    'platform.get_status',
    'platform.get_tenant',
    'sources.get_pattern',
    'sources.list_uploads',
  ],
];
/** What is filled for the failure of a run. */
const OF_RUNS = ['run_id', 'subject_id'];

t.test('every problem, failure and check → plain words, and steps that exist with all that they need', async (t) => {
  const world = await testPlatform(t, t.testdir());
  const endpoints = world.api.app.declaredRoutes.map(({ endpoint }) => endpoint);
  const byId = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
  const fits = ({ operation, params = {}, text }: NextStepEntry, what: string) => {
    const { path: route = '', query, body } = byId.get(operation) ?? ({} as Partial<Endpoint>);
    const names = [...pathNames(route), ...[query, body].flatMap((part) => Object.keys(part?.properties ?? {}))];
    t.ok(byId.has(operation), `${what}: ${operation} is an operation`);
    t.ok(operation in PAGES || WITHOUT_PAGE.includes(operation), `${what}: ${operation} has a page or has none`);
    t.strictSame(
      pathNames(route).filter((name) => !(name in params)),
      [],
      `${what}: ${operation} has its path`,
    );
    t.strictSame(
      Object.keys(params).filter((name) => !names.includes(name)),
      [],
      `${what}: ${operation} knows them`,
    );
    t.notMatch(text, OF_ONE_SURFACE, what);
    t.match(text, /^[A-Z][^.]+$/, `${what}: an imperative without a full stop`);
  };
  for (const entry of world.platform.problems.values()) {
    const { code, title, detail, hint, faults = {}, next = [] } = entry;
    const words = [title, hint, ...Object.values(faults), detail.replace(/\{\w+(:[\w ]+)?\}/g, '…')];
    for (const text of words) t.notMatch(text, OF_ONE_SURFACE, code);
    t.notMatch(detail, /\(s\)/, `${code}: counts have their number`);
    const answering = endpoints.filter(({ errors = [] }) => errors.some((error) => error.entry.code === code));
    for (const step of next) {
      fits(step, code);
      const needed = Object.values(step.params ?? {}).flatMap(placesOf);
      const known = (at: string) => [...pathNames(at), ...(THROWN_WITH[code] ?? [])];
      const places = answering.length === 0 ? [OF_RUNS] : answering.map(({ path: at }) => known(at));
      for (const have of places)
        t.strictSame(
          needed.filter((name) => !have.includes(name)),
          [],
          `${code}: is filled`,
        );
    }
  }
  const who = { token: await world.token('acme'), tenant: 'acme' };
  const body = { name: 'shop', pattern_id: 'files', source_config: { path: FOLDER } };
  const made = await world.call(who, createSource, { body });
  const params = { source_id: made.ok ? made.body.source_id : '' };
  const readiness = await world.call(who, getSourceReadiness, { params });
  if (!readiness.ok) throw new Error(readiness.problem.code);
  const steps = readiness.body.checks.flatMap(({ next = [] }) => next);
  t.ok(steps.length > 1);
  for (const step of steps) {
    fits(step, 'readiness of a source');
    t.match(step.params, params, 'with the id of the source');
  }
  const transform = { name: 'one', output: 'gold.acme.one', sql: 'select 1 as one' };
  const written = await world.call(who, createTransform, { body: transform });
  const transform_id = written.ok ? written.body.transform_id : '';
  const detail = await world.call(who, getTransformDetail, { params: { transform_id } });
  if (!detail.ok) throw new Error(detail.problem.code);
  const helps = detail.body.readiness.checks.flatMap(({ next = [] }) => next);
  t.match(helps[0], { operation: 'transforms.hydrate_transform', params: { transform_id } });
  for (const step of helps) fits(step, 'readiness of a transform');
});

/** Where a call of the API, a command or a place between braces is code, and no sentence. */
const CODE = /^(plugins\/[^/]+\/src\/(cli|docs)\/|ui\/src\/(sources\/create\/command-text|datasets\/open-lines)\.ts)/;
const SENTENCE = /\b(?:hint|detail|title|message|text)\b[^'"`\n]{0,12}(['"`])(.*?)\1,?$/gm;

t.test('no sentence of ours names a call of the API, and none outside the command line a command', async (t) => {
  const files = await listFiles(
    ROOT,
    'plugins/*/src/**.ts',
    'work/src/**.ts',
    'connectors/*/src/**.ts',
    'kernel/src/**.ts',
  );
  const pages = await listFiles(ROOT, 'ui/src/**.ts', 'ui/src/**.tsx');
  const programs = await listFiles(ROOT, 'cli/src/**.ts');
  const code = async (file: string) =>
    (await readFile(path.join(ROOT, file), 'utf8')).replace(/^\s*(\/\/|\/?\*).*$/gm, '');
  let sentences = 0;
  for (const file of files.filter((file) => !CODE.test(file))) {
    for (const [, , text = ''] of (await code(file)).matchAll(SENTENCE)) {
      sentences += 1;
      t.notMatch(text.replace(/\$?\{[^}]*\}/g, '…'), OF_ONE_SURFACE, file);
    }
  }
  t.ok(sentences > 400, `${sentences} sentences`);
  for (const file of pages.filter((file) => !CODE.test(file)))
    t.notMatch(await code(file), /\bweir [a-z]+ [a-z]|\b(GET|POST|PUT|PATCH|DELETE) \//, file);
  const calls = /(?<!weir api )\b(GET|POST|PUT|PATCH|DELETE) \//;
  for (const file of programs) t.notMatch(await code(file), calls, file);
});
