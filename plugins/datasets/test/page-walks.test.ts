import t from 'tap';
import { previewDataset, type TableRef } from '../src/contract.ts';
import { batch, depsOf, type Lake, lake, rewrite } from './kit.ts';

type World = Awaited<ReturnType<typeof orders>>;

let tables = 0;

/** A new table of three files with two rows each. */
async function orders(world: Lake) {
  const acme = await world.tenant('acme');
  const rows = (from: number) => [{ id: from }, { id: from + 1 }];
  tables += 1;
  const name = `orders_${tables}`;
  await world.land(acme, name, rows(1));
  await world.land(acme, name, rows(3));
  const { ref } = await world.land(acme, name, rows(5));
  return { world, acme, ref, params: { dataset_id: `bronze.acme.${name}` } };
}

async function commit({ world, acme, ref }: World, rows: object[], how: (locations: string[]) => Promise<object>) {
  const { runId, leaseEpoch } = await world.run(acme);
  const files = await world.stage(acme, ref, rows, runId);
  const metadata = await metadataOf(world, acme, ref);
  const more = await how(metadata.locations);
  const table = { ...batch(ref, files), ...more, ...('deletes' in more ? { base: metadata.snapshotId } : {}) };
  await world.tables.commit(acme, { runId, leaseEpoch, tables: [table as never], checkpoints: [] });
}

async function metadataOf(world: Lake, acme: World['acme'], ref: TableRef) {
  const { scanner } = depsOf(world, world.kernel.db as never);
  const prepared = await world.tables.prepare(acme, ref, { type: 'object', properties: { id: { type: 'integer' } } });
  const metadata = await scanner.metadata(ref, prepared.metadataLocation ?? '');
  const files = await scanner.files(metadata);
  return { snapshotId: prepared.snapshotId, locations: files.map(({ location }) => location) };
}

/** What others do to the table between two pages; files go out of the table and stay where they are. */
const CHANGES: Record<string, (of: World) => Promise<void>> = {
  'an append': (of) => commit(of, [{ id: 7 }], async () => ({})),
  'an overwrite': (of) => commit(of, [{ id: 8 }], async () => ({ mode: 'overwrite' })),
  'files rewritten as one': (of) =>
    commit(
      of,
      [1, 2, 3, 4, 5, 6].map((id) => ({ id })),
      async (deletes) => ({ mode: 'row_delta', deletes }),
    ),
};

const read = ({ world, params }: World, query: object) =>
  world.as('acme', 'viewer').call(previewDataset, { params, query });

const world = await lake(t);

for (const [name, change] of Object.entries(CHANGES)) {
  for (const asked of [{}, { order: '-id' }, { filter: 'id:ge:2' }]) {
    t.test(`a walk of pages gives each row of its snapshot once: ${name}, ${JSON.stringify(asked)}`, async (t) => {
      const of = await orders(world);
      const ids: unknown[] = [];
      for (let token: string | null | undefined; token !== null; ) {
        const page = await read(of, { columns: 'id', limit: 2, ...asked, ...(token ? { page_token: token } : {}) });
        if (!page.ok) return t.fail(page.problem.code);
        ids.push(...page.body.rows.map(([id]) => id));
        token = page.body.next_page_token;
        await change(of);
      }
      const wanted = ['1', '2', '3', '4', '5', '6'].slice('filter' in asked ? 1 : 0);
      t.strictSame(ids.toSorted(), wanted);
    });
  }
}

t.test('a page of a snapshot that has expired is refused with what to do', async (t) => {
  const of = await orders(world);
  const first = await read(of, { columns: 'id', limit: 2 });
  const token = first.ok ? first.body.next_page_token : null;
  await CHANGES['an overwrite']?.(of);
  await rewrite(of.world, of.acme, {
    ref: of.ref,
    change: (metadata) => ({
      ...metadata,
      snapshots: metadata.snapshots.filter((one) => one['snapshot-id'] === metadata['current-snapshot-id']),
    }),
  });
  const next = await read(of, { columns: 'id', limit: 2, page_token: token ?? '' });
  t.match(next, { ok: false, status: 400, problem: { code: 'invalid_page_token', hint: /\S/ } });
});
