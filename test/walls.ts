import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { cruise, type IForbiddenRuleType, type IReporterOutput } from 'dependency-cruiser';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** dependency-cruiser reads nothing and is content when its parser does not know the language; so must nobody be. */
export const LEAST_MODULES = 100;

const OURS = '^(lib|kernel|work|lakehouse|migrations|connectors|transforms|plugins|workers|cli|test|bench|ui)/';
const leaf = (name: string, from: string, own: string, also: string[] = []): IForbiddenRuleType => ({
  name,
  comment: `${own} imports nothing of ours${also.length > 0 ? ` but ${also.join(', ')}` : ''}`,
  severity: 'error',
  from: { path: from },
  to: { path: OURS, pathNot: [own, ...also] },
});

/** A room of a plugin: it knows itself, the contract, the settings and these rooms; no room knows `child`, which is started. */
const room = (name: string, own: string, also: string): IForbiddenRuleType => ({
  name,
  comment: 'contract ← model ← service ← api | work ← plugin.ts, worker.ts',
  severity: 'error',
  from: { path: `^plugins/([^/]+)/src/${own}/` },
  to: { path: '^plugins/$1/src/', pathNot: [`^plugins/$1/src/(${own}/|${also}contract[./]|settings\\.ts$)`] },
});

/** The directions between packages (architecture: who may import whom). Tests may look at what they test. */
export const RULES: IForbiddenRuleType[] = [
  { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
  {
    name: 'loads-on-demand',
    comment: 'a process pays a fifth of a second or more for each, and few processes need one',
    severity: 'error',
    from: { path: OURS, pathNot: '^lib/telemetry/src/otlp-tracer\\.ts$' },
    to: {
      path: [
        '^node_modules/@opentelemetry/',
        '^node_modules/@temporalio/(client|activity)/',
        '^lib/telemetry/src/otlp-tracer\\.ts$',
      ],
      dynamic: false,
      dependencyTypesNot: ['type-only'],
    },
  },
  leaf('libraries-know-only-libraries', '^lib/([^/]+)/src', '^lib/$1/', ['^lib/[^/]+/src/index\\.ts$']),
  leaf('kernel-knows-no-plugin', '^kernel/src', '^kernel/', ['^lib/[^/]+/src/(index|testing)\\.ts$']),
  leaf('work-knows-the-kernel-and-libraries', '^work/src', '^work/', [
    '^kernel/src/(index|contract)\\.ts$',
    '^lib/[^/]+/src/index\\.ts$',
  ]),
  leaf('lakehouse-knows-few-libraries', '^lakehouse/src', '^lakehouse/', [
    '^lib/(caller|parquet|processes)/src/index\\.ts$',
  ]),
  leaf('migrations-know-only-libraries', '^migrations/src', '^migrations/', ['^lib/vault/src/index\\.ts$']),
  leaf('sdk-is-a-leaf', '^connectors/sdk/src', '^connectors/sdk/'),
  leaf('connectors-know-only-the-sdk', '^connectors/(?!sdk/)([^/]+)/src', '^connectors/$1/', [
    '^connectors/sdk/',
    '^lib/(egress|parquet|processes)/src/index\\.ts$',
  ]),
  leaf('transform-sdk-knows-only-libraries', '^transforms/sdk/src', '^transforms/sdk/', ['^lib/[^/]+/src/index\\.ts$']),
  leaf('plugins-meet-at-contracts', '^plugins/([^/]+)/src', '^plugins/$1/', [
    '^kernel/src/(index|contract)\\.ts$',
    '^lib/(?!embedded/)[^/]+/src/index\\.ts$',
    '^work/src/(index|workflow)\\.ts$',
    '^plugins/[^/]+/src/contract\\.ts$',
    // Who may use these is the business of the three rules below.
    '^lakehouse/',
    '^connectors/(runtime|sdk)/',
    '^plugins/datasets/src/stage\\.ts$',
    '^transforms/sdk/src/index\\.ts$',
  ]),
  {
    name: 'only-datasets-knows-the-table-format',
    severity: 'error',
    from: { path: '^(plugins|workers|cli)/', pathNot: '^plugins/datasets/' },
    to: { path: '^lakehouse/' },
  },
  {
    name: 'only-sources-runs-connectors',
    severity: 'error',
    comment: "and the operator's commands ask its engine",
    from: { path: '^(plugins|workers|cli)/', pathNot: ['^plugins/sources/', '^cli/src/connectors/'] },
    to: { path: '^connectors/' },
  },
  {
    name: 'only-producers-stage',
    severity: 'error',
    from: { path: OURS, pathNot: '^plugins/(sources|transforms|datasets|ontology)/' },
    to: { path: '^plugins/datasets/src/stage\\.ts$' },
  },
  room('model-knows-the-contract', 'model', ''),
  room('services-know-the-model', 'service', 'model/|'),
  room('handlers-know-services', 'api', 'model/|service/|'),
  room('work-knows-services', 'work', 'model/|service/|'),
  {
    name: 'a-child-holds-no-row-and-no-service',
    comment: 'what runs in a process of its own knows the contract, rules, and libraries',
    severity: 'error',
    from: { path: '^plugins/([^/]+)/src/child/' },
    to: { path: '^plugins/$1/src/', pathNot: ['^plugins/$1/src/(child/|contract[./]|model/(?!.*entity\\.ts$))'] },
  },
  {
    name: 'contract-is-pure',
    comment: 'a contract can be loaded by a browser: TypeBox, the kernel contract and other contracts',
    severity: 'error',
    from: { path: '^(plugins/[^/]+|plugin-template)/src/contract[./]' },
    to: { pathNot: ['/src/contract[./]', '^node_modules/@sinclair/typebox', '^kernel/src/contract\\.ts$'] },
  },
  {
    name: 'kernel-contract-is-pure',
    severity: 'error',
    from: { path: '^kernel/src/contract[./]' },
    to: { pathNot: ['^kernel/src/contract/', '^node_modules/@sinclair/typebox'] },
  },
  leaf('the-template-uses-published-doors', '^plugin-template/src', '^plugin-template/', [
    '^kernel/src/(index|contract)\\.ts$',
    '^migrations/src/index\\.ts$',
    '^work/src/(index|workflow)\\.ts$',
  ]),
  leaf('workers-know-only-the-kernel', '^workers/src', '^workers/', ['^kernel/src/(index|contract|boot)\\.ts$']),
  leaf('cli-knows-only-contracts', '^cli/src', '^cli/', [
    '^kernel/src/contract\\.ts$',
    '^plugins/[^/]+/src/contract\\.ts$',
    '^lib/documents/src/(did-you-mean|yaml-value)\\.ts$',
    '^lib/json-schemas/src/json-pointer\\.ts$',
    '^lib/embedded/src/index\\.ts$',
    // What the machine gives, which `doctor` tells.
    '^lib/processes/src/index\\.ts$',
    '^lib/vault/src/deployment\\.ts$',
    // Who may use these is the business of `only-sources-runs-connectors`.
    '^connectors/runtime/src/index\\.ts$',
    '^connectors/images/src/proof\\.ts$',
  ]),
  leaf('the-web-pages-know-only-contracts', '^ui/src', '^ui/', [
    '^kernel/src/contract\\.ts$',
    '^lib/page-style/tokens\\.css$',
    '^plugins/[^/]+/src/contract\\.ts$',
  ]),
];

export interface Walls {
  modules: number;
  /** One sentence for each import that goes through a wall. */
  faults: string[];
}

/** Reads every import below `root` and returns those that break a rule; throws when it read too little to judge. */
export async function checkWalls(root: string, leastModules = LEAST_MODULES): Promise<Walls> {
  const before = process.cwd();
  process.chdir(root);
  try {
    const { output } = (await cruise(
      [
        'lib',
        'kernel',
        'work',
        'lakehouse',
        'migrations',
        'connectors',
        'transforms',
        'plugins',
        'plugin-template',
        'workers',
        'cli',
        'ui/src',
      ],
      {
        validate: true,
        ruleSet: { forbidden: RULES },
        parser: 'swc',
        doNotFollow: { path: ['node_modules'] },
        // Our own only: a library may well lie in a folder `dist`.
        exclude: { path: ['^(?!node_modules/).*/(test|dist)/', '^plugins/ui/app/'] },
        tsPreCompilationDeps: true,
        enhancedResolveOptions: {
          exportsFields: ['exports'],
          conditionNames: ['@weir/source', 'import', 'default', 'types'],
          extensions: ['.ts', '.tsx', '.js', '.mjs', '.json'],
        },
      },
    )) as IReporterOutput & { output: Exclude<IReporterOutput['output'], string> };
    const modules = output.modules.filter(({ source }) => /^(?!node_modules).*\.tsx?$/.test(source)).length;
    if (modules < leastModules) throw new Error(`only ${modules} modules were read: the walls were not checked`);
    const faults = output.summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`);
    return { modules, faults };
  } finally {
    process.chdir(before);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { modules, faults } = await checkWalls(path.resolve(ROOT));
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  process.stderr.write(`walls: ${modules} modules, ${faults.length} faults\n`);
  process.exitCode = faults.length > 0 ? 1 : 0;
}
