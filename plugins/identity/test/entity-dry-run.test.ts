import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { provide, type Tenant } from '@weir/kernel';
import { testPlugin } from '@weir/kernel/testing';
import * as tools from '@weir/migrations';
import { Samples, type SamplesService } from '@weir/plugin-datasets/contract';
import t, { type Test } from 'tap';
import { lake } from '../../datasets/test/kit.ts';
import type { EntityResolutionDocumentBody } from '../src/contract/entity-resolution.ts';
import { createPolicy, dryRunPolicy, type EntityDryRunView } from '../src/contract.ts';
import { entityResolutionKind } from '../src/entity-resolution/kind.ts';
import plugin from '../src/plugin.ts';
import { DOCUMENT } from './entity-kit.ts';
import { bodyOf } from './kit.ts';

const SCHEMA = {
  type: 'object',
  properties: Object.fromEntries(['key', 'name', 'born', 'number'].map((name) => [name, { type: 'string' }])),
};
const ROWS = [
  { key: 'k3', name: 'Canary Adams', born: '1980-02-01', number: '7' },
  { key: 'k2', name: 'canary-adams', born: '1980-02-02', number: '7.2' },
  { key: 'k1', name: 'canary adamz', born: '1980-02-02', number: null },
  { key: 'k4', name: 'canary adams', born: '1990-01-01', number: null },
  { key: 'k5', name: 'Zebulon', born: '2001-12-31', number: '1' },
  { key: null, name: 'Nobody', born: null, number: '1' },
];

/** A lake with the rows, and a dry run of a document over them. */
async function tried(t: Test) {
  const world = await lake(t);
  const acme = await world.tenant('acme');
  const { snapshotId } = await world.land(acme, 'people', ROWS, SCHEMA);
  const samples = world.registration.services?.find(({ id }) => id === 'datasets.samples@1')
    ?.implementation as SamplesService;
  const kind = entityResolutionKind({ samples });
  const dryRun = async (
    document: object,
    { active = undefined as object | undefined, tenant = acme as Tenant, sample = {} as object | null } = {},
  ): Promise<EntityDryRunView> => {
    const trial = {
      candidate: { policyId: '1', name: 'people', document: document as Record<string, unknown> },
      standing: { document: (active ?? {}) as Record<string, unknown>, status: active ? 'active' : 'draft' } as const,
      body: sample === null ? {} : { sample: { dataset_id: `bronze.${acme.scope}.people`, ...sample } },
      signal: new AbortController().signal,
    };
    return (await kind.dryRun(tenant, trial)) as EntityDryRunView;
  };
  return { world, acme, snapshotId, dryRun, samples };
}

/** Every file below a folder with a hash of its bytes. */
async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  const hash = async (file: string) =>
    createHash('sha256')
      .update(await readFile(file))
      .digest('hex');
  return Promise.all(files.toSorted().map(async (file) => `${file} ${await hash(file)}`));
}

t.test('a dry run', async (t) => {
  const { world, acme, snapshotId, dryRun } = await tried(t);

  t.test('tells pairs, clusters, collisions and what would move', async (t) => {
    const { examples, ...found } = await dryRun(DOCUMENT, { active: DOCUMENT });
    t.strictSame(found, {
      kind: 'entity_resolution',
      dataset_id: `bronze.${acme.scope}.people`,
      snapshot_id: snapshotId,
      sample: { rows: 6, complete: true },
      blocking: [{ candidates: 3 }, { candidates: 1 }],
      pairs: { accepted: 2, review: 2 },
      clusters: {
        total: 4,
        sizes: [
          { size: 1, clusters: 3 },
          { size: 3, clusters: 1 },
        ],
      },
      collisions: { shared_ids: 0, contested: 0, without_id: 1 },
      moved: { records: 0 },
    });
    t.equal(examples.length, 4);
    const strict = await dryRun({ ...DOCUMENT, accept: 5.5 }, { active: DOCUMENT });
    t.match(strict, { moved: { records: 2 }, clusters: { total: 5 } }, 'k2 and k3 have lost the smallest key, k1');
    t.match(await dryRun(DOCUMENT), { moved: null }, 'nothing is in force');
    const gone = { ...DOCUMENT, canonical_id: { strategy: 'smallest_key', property: 'gone' } };
    t.match(await dryRun(DOCUMENT, { active: gone }), { moved: null }, 'what is in force does not fit the dataset');
  });

  t.test('tells source keys that collide', async (t) => {
    const found = await dryRun({ ...DOCUMENT, canonical_id: { strategy: 'source_key', property: 'number' } });
    t.match(found.collisions, { shared_ids: 1, contested: 1, without_id: 1 });
  });

  t.test('shows pairs in which no value can be read', async (t) => {
    const { examples } = await dryRun(DOCUMENT);
    const text = JSON.stringify(examples);
    for (const value of ROWS.flatMap((row) => Object.values(row))) {
      if (value !== null) t.notOk(text.toLowerCase().includes(`"${value.toLowerCase()}`), 'no value');
    }
    t.notOk(/canary|adams|1980|zebulon/i.test(text));
    t.strictSame(examples[0], {
      score: 4,
      verdict: 'accept',
      comparisons: [
        { property: 'name', left: '•••', right: '•••', level: 1, weight: 2 },
        { property: 'born', left: '•••', right: '•••', level: 0, weight: 2 },
        { property: 'number', left: '•••', right: null, level: null, weight: 0 },
      ],
    });
  });

  t.test('looks at no more rows than it is asked for', async (t) => {
    t.match(await dryRun(DOCUMENT, { sample: { rows: 2 } }), { sample: { rows: 2, complete: false } });
  });

  t.test('changes nothing', async (t) => {
    const folder = (world.kernel.settings as { WEIR_WAREHOUSE: string }).WEIR_WAREHOUSE;
    const rowsOf = () => world.database.peek('select * from catalog.iceberg_tables order by table_name');
    const before = { files: await filesOf(folder), pointers: await rowsOf() };
    await dryRun(DOCUMENT, { active: DOCUMENT });
    t.strictSame({ files: await filesOf(folder), pointers: await rowsOf() }, before);
  });

  t.test('is refused where the dataset does not fit, or is not for the tenant', async (t) => {
    const other = { ...DOCUMENT, canonical_id: { strategy: 'smallest_key', property: '_errors' } };
    await t.rejects(dryRun(other), {
      code: 'policy_invalid',
      details: { errors: [{ pointer: '/document/canonical_id/property', code: 'type_not_comparable' }] },
    });
    const none = { ...DOCUMENT, blocking: [['name', "x' OR 1=1 --"]] };
    await t.rejects(dryRun(none), {
      code: 'policy_invalid',
      details: { errors: [{ pointer: '/document/blocking/0/1', code: 'unknown_property' }] },
    });
    await t.rejects(dryRun(DOCUMENT, { sample: null }), { code: 'trial_invalid' });
    await t.rejects(dryRun(DOCUMENT, { sample: { dataset_id: 'people' } }), { code: 'invalid_dataset_id' });
    await t.rejects(dryRun(DOCUMENT, { tenant: await world.tenant('globex') }), { code: 'dataset_not_readable' });
  });

  t.test('takes the words of a document as words', async (t) => {
    const hostile: EntityResolutionDocumentBody['normalise'] = [
      {
        property: 'name',
        ops: ['lower', { op: 'replace', pattern: "'|\\); DROP TABLE sample; --", with: "'); DROP TABLE sample; --" }],
      },
    ];
    t.match(await dryRun({ ...DOCUMENT, normalise: hostile }), { sample: { rows: 6 } });
  });
});

t.test('a policy that compares everybody with everybody is refused with the rule to narrow', async (t) => {
  const { world, acme, dryRun } = await tried(t);
  const rows = Array.from({ length: 3_300 }, (_, at) => ({ key: `k${at}`, name: null, born: '2000-01-01' }));
  await world.land(acme, 'crowd', rows, SCHEMA);
  await t.rejects(dryRun(DOCUMENT, { sample: { dataset_id: `bronze.${acme.scope}.crowd` } }), {
    code: 'policy_too_broad',
    details: { errors: [{ pointer: '/document/blocking/1', code: 'too_many_pairs' }] },
  });
});

t.test('a dry run is answered over the wire, of a version and of a document', async (t) => {
  const { acme, samples } = await tried(t);
  // The tenants of the two plugins under test live in two databases; the port leads to the one with the rows.
  const led: SamplesService = {
    describe: (_tenant, id) => samples.describe(acme, id),
    ask: (_tenant, id, question) => samples.ask(acme, id, question),
  };
  const identity = await testPlugin(t, plugin, { tools, services: () => [provide(Samples, led)] });
  await identity.tenant('acme');
  const admin = identity.as('acme');
  const body = { name: 'people', kind: 'entity_resolution' as const, document: { ...DOCUMENT } };
  const { policy_id } = bodyOf(await admin.call(createPolicy, { body }));
  const sample = { dataset_id: `bronze.${acme.scope}.people` };
  const params = { policy_id };
  const found = bodyOf(await admin.call(dryRunPolicy, { params, body: { sample } }));
  t.match(found, { kind: 'entity_resolution', pairs: { accepted: 2, review: 2 }, moved: null });
  const document = { ...DOCUMENT, review: 9 };
  t.match(await admin.call(dryRunPolicy, { params, body: { sample, document } }), {
    status: 422,
    problem: { code: 'policy_invalid', errors: [{ pointer: '/document/review', code: 'not_below_accept' }] },
  });
  t.match(await admin.call(dryRunPolicy, { params, body: {} }), {
    status: 422,
    problem: { code: 'trial_invalid', errors: [{ pointer: '/sample', code: 'required' }] },
  });
  t.match(await identity.as('acme', 'pipeline_editor').call(dryRunPolicy, { params, body: { sample } }), {
    status: 403,
    problem: { code: 'forbidden_role' },
  });
});
