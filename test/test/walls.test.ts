import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { checkWalls, RULES } from '../walls.ts';

/** One import through each wall: the file that does it and what it imports. */
const FAULTS: Record<string, [from: string, to: string]> = {
  'no-circular': ['kernel/src/a.ts', 'kernel/src/b.ts'],
  'loads-on-demand': ['lib/telemetry/src/telemetry.ts', 'lib/telemetry/src/otlp-tracer.ts'],
  'libraries-know-only-libraries': ['lib/telemetry/src/index.ts', 'kernel/src/contract.ts'],
  'kernel-knows-no-plugin': ['kernel/src/index.ts', 'plugins/sources/src/contract.ts'],
  'work-knows-the-kernel-and-libraries': ['work/src/index.ts', 'plugins/sources/src/contract.ts'],
  'lakehouse-knows-few-libraries': ['lakehouse/src/index.ts', 'kernel/src/contract.ts'],
  'migrations-know-only-libraries': ['migrations/src/index.ts', 'kernel/src/contract.ts'],
  'sdk-is-a-leaf': ['connectors/sdk/src/index.ts', 'connectors/runtime/src/index.ts'],
  'connectors-know-only-the-sdk': ['connectors/files/src/main.ts', 'connectors/runtime/src/index.ts'],
  'transform-sdk-knows-only-libraries': ['transforms/sdk/src/index.ts', 'kernel/src/contract.ts'],
  'plugins-meet-at-contracts': ['plugins/sources/src/plugin.ts', 'plugins/datasets/src/plugin.ts'],
  'only-datasets-knows-the-table-format': ['plugins/sources/src/service.ts', 'lakehouse/src/index.ts'],
  'only-sources-runs-connectors': ['plugins/datasets/src/plugin.ts', 'connectors/sdk/src/index.ts'],
  'only-producers-stage': ['workers/src/main.ts', 'plugins/datasets/src/stage.ts'],
  'model-knows-the-contract': ['plugins/runs/src/model/rule.ts', 'plugins/runs/src/service/reports.ts'],
  'services-know-the-model': ['plugins/runs/src/service/runs.ts', 'plugins/runs/src/api/routes.ts'],
  'handlers-know-services': ['plugins/runs/src/api/routes.ts', 'plugins/runs/src/work/activities.ts'],
  'work-knows-services': ['plugins/runs/src/work/attempt.ts', 'plugins/runs/src/child/program.ts'],
  'a-child-holds-no-row-and-no-service': [
    'plugins/sources/src/child/sync-child.ts',
    'plugins/sources/src/model/source/entity.ts',
  ],
  'contract-is-pure': ['plugins/sources/src/contract.ts', 'plugins/sources/src/plugin.ts'],
  'kernel-contract-is-pure': ['kernel/src/contract/endpoint.ts', 'kernel/src/index.ts'],
  'the-template-uses-published-doors': ['plugin-template/src/plugin.ts', 'kernel/src/boot.ts'],
  'workers-know-only-the-kernel': ['workers/src/role/roles.ts', 'plugins/sources/src/worker.ts'],
  'the-web-pages-know-only-contracts': ['ui/src/main.tsx', 'plugins/sources/src/plugin.ts'],
  'cli-knows-only-contracts': ['cli/src/main.ts', 'kernel/src/index.ts'],
};

t.test('every rule of the walls catches a planted import, of a type too', async (t) => {
  t.strictSame(Object.keys(FAULTS).sort(), RULES.map(({ name }) => name).sort(), 'no rule without its fault');
  const root = t.testdir();
  const write = (file: string, text: string) => {
    mkdirSync(path.join(root, path.dirname(file)), { recursive: true });
    writeFileSync(path.join(root, file), text, { flag: 'a' });
  };
  for (const [from, to] of Object.values(FAULTS)) {
    write(to, 'export type Here = string;\n');
    write(from, `import type { Here as H${to.length} } from './${path.relative(path.dirname(from), to)}';\n`);
  }
  const [tracing, tracer] = FAULTS['loads-on-demand']!;
  write(tracer, 'export const here = 1;\n');
  write(tracing, "import { here } from './otlp-tracer.ts';\nexport { here };\n");
  write('lib/telemetry/src/load.ts', "const load = () => import('./otlp-tracer.ts');\nexport { load };\n");
  write('kernel/src/b.ts', "import type { Here } from './a.ts';\nexport type Back = Here;\n");
  write('kernel/src/a.ts', 'export type Here = string;\n');
  const { faults } = await checkWalls(root, 1);
  const onDemand = faults.filter((fault) => fault.startsWith('loads-on-demand'));
  t.strictSame(onDemand, [`loads-on-demand: ${tracing} -> ${tracer}`], 'a dynamic import is none');
  for (const [rule, [from, to]] of Object.entries(FAULTS)) {
    t.ok(
      faults.some((fault) => fault.startsWith(`${rule}: ${from} -> ${to}`)),
      rule,
    );
  }
});

t.test('a run that read nothing is a fault and not a pass', async (t) => {
  await t.rejects(
    checkWalls(
      t.testdir({
        documents: {},
        vault: {},
        'run-logs': {},
        lib: {},
        kernel: {},
        work: {},
        lakehouse: {},
        migrations: {},
        embedded: {},
        egress: {},
        parquet: {},
        engine: {},
        connectors: {},
        transforms: {},
        plugins: {},
        'plugin-template': {},
        workers: {},
        cli: {},
        ui: { src: {} },
      }),
    ),
    /only 0 modules/,
  );
});
