import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Type } from '@sinclair/typebox';
import type { Kernel, Tenant } from '@weir/kernel';
import { API_VERSION, type ApplyKind, ApplyKinds } from '@weir/plugin-apply/contract';
import { WorkflowStarts } from '@weir/plugin-workflow-engine/contract';
import t from 'tap';
import { contribute, contributions } from '../../kernel/src/contributions/contributions.ts';
import { exportService } from '../../plugins/apply/src/service/export.ts';
import { planService } from '../../plugins/apply/src/service/plan.ts';
import { startService } from '../../plugins/workflow-engine/src/start/service.ts';
import { listFiles } from '../checks/files.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
/** Who asks every plugin for a point, whichever the tenant has, and why that serves no tenant what it lacks. */
const OF_ALL: Readonly<Record<string, string>> = {
  'kernel/src/boot/boot-platform.ts': 'makes the set',
  'plugins/platform/src/plugin.ts UpkeepRuns': 'kinds of runs that count for no tenant',
  'plugins/platform/src/plugin.ts StorageUses': 'what lies in the store is counted and removed for every tenant',
  'plugins/runs/src/service/runs.ts UpkeepRuns': 'kinds of runs that a list leaves out',
  'plugins/runs/src/service/runs.ts RunSubjectNames': 'runs keep their names after a plugin was taken away',
  'plugins/schedules/src/service/reconcile.ts ScheduleSubjects': 'ends firings that wait for nothing',
  'plugins/schedules/src/service/subjects.ts ScheduleSubjects': 'for routes, which the plugin of the kind has',
  'plugins/transforms/src/service/transform/from-pattern.ts PatternMakers': 'comes from a plugin that is always on',
  'plugins/transforms/src/work/begin-group.ts GroupKinds': 'kinds of runs that share lanes',
  'plugins/ui/src/plugin.ts UiPages': 'pages are checked when the platform starts',
  'plugins/webhooks/src/plugin.ts UpkeepRuns': 'kinds of runs that no webhook speaks of',
  'plugins/webhooks/src/plugin.ts RunSubjectNames': 'runs keep their names after a plugin was taken away',
  'plugins/webhooks/src/work/deliver.ts RunSubjectNames': 'runs keep their names after a plugin was taken away',
};
const ASKED = /\bcontributions\((?<point>[A-Z]\w*)\)/g;

t.test('source that asks all plugins for a point → it is on the list, with a reason', async () => {
  const files = await listFiles(ROOT);
  const sources = files.filter((file) => /^(?:plugins\/[^/]+|work|workers|lakehouse)\/src\/.*\.ts$/.test(file));
  const found: string[] = [];
  for (const file of sources) {
    const text = await readFile(path.join(ROOT, file), 'utf8');
    for (const { groups } of text.matchAll(ASKED)) found.push(`${file} ${groups?.point}`);
  }
  t.strictSame(
    [...new Set(found)].filter((one) => OF_ALL[one] === undefined),
    [],
  );
  t.ok(found.length > 5, 'the source was read');
});

const tenantOf = (alias: string) => ({ tenantId: alias, alias, scope: alias }) as unknown as Tenant;
const [HAS_IT, LACKS_IT] = [tenantOf('has'), tenantOf('lacks')];
const GADGET = {
  kind: 'Gadget',
  order: 1,
  spec: Type.Object({}),
  list: { id: 'gadgets.list' },
  plan: async () => ({ after: {}, calls: () => [] }),
} as unknown as ApplyKind;

function kernelWithGadgets() {
  const set = contributions(async (at) => (at as Tenant | undefined)?.alias === HAS_IT.alias);
  const start = { name: 'schema-match', body: Type.Object({}), start: async () => ({ run_id: 'r' }) };
  set.add([contribute(ApplyKinds, GADGET), contribute(WorkflowStarts, start as never)], 'gadgets');
  return { contributionsFor: (at, point) => set.forTenant(at, point) } as Pick<Kernel, 'contributionsFor'>;
}

t.test('a kind of documents of an opt-in plugin → unknown to a tenant without it, in plans and exports', async () => {
  const kernel = kernelWithGadgets();
  const plan = planService(kernel);
  const docs = [{ apiVersion: API_VERSION, kind: 'Gadget', metadata: { name: 'one' }, spec: {} }];
  const reader = { all: async () => [] } as never;
  const how = { allowDeprecate: false, liveOntology: false, signal: new AbortController().signal };
  const codesOf = async (tenant: Tenant) => {
    const [planned] = await plan({ tenant, principal: {} as never, reader, docs, ...how });
    return planned?.view.errors?.map(({ code }) => code) ?? [];
  };
  t.notOk((await codesOf(HAS_IT)).includes('kind_unknown'));
  t.strictSame(await codesOf(LACKS_IT), ['kind_unknown']);
  t.notOk((await codesOf(HAS_IT)).includes('kind_unknown'), 'what one tenant lacks is not remembered for another');
  const exported = exportService(kernel);
  await t.rejects(exported({ tenant: LACKS_IT, reader, query: { kind: 'Gadget' } }), { code: 'validation_failed' });
});

t.test('a workflow of an opt-in plugin → not configured for a tenant without it', async () => {
  const starts = startService(kernelWithGadgets());
  const asked = { principal: {} as never, body: {}, traceId: '', call: async () => ({ status: 404, body: {} }) };
  t.strictSame(await starts.start('schema-match', { ...asked, tenant: HAS_IT }), { run_id: 'r' });
  await t.rejects(starts.start('schema-match', { ...asked, tenant: LACKS_IT }), { code: 'feature_not_configured' });
});
