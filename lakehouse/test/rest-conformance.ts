import { randomUUID } from 'node:crypto';
import type { Test } from 'tap';
import type { RemoteCatalog, TableChange, TableIdent } from '../src/catalog/catalog.ts';
import { restCatalog } from '../src/catalog/catalog-rest.ts';
import { assignFieldIds } from '../src/schema/types.ts';
import type { FileIO } from '../src/store/fileio.ts';
import type { Fault, FlakyProxy } from '../src/testing.ts';

/** A catalog behind a proxy, with the store that it shares with us. */
export type CatalogSubject = {
  readonly catalog: RemoteCatalog;
  readonly proxy: FlakyProxy;
  readonly io: FileIO;
  /** Location below which tables may lie. */
  readonly warehouse: string;
};

const fields = assignFieldIds([
  { name: 'id', type: 'long' },
  { name: 'tags', type: { list: 'string' } },
]);
/** A table of two columns, as a catalog is asked for it. */
export const NEW_TABLE = { schema: { type: 'struct', 'schema-id': 0, fields } };
const NAMES = ['a', 'b', 'c_d', 'x0', 'z'];
const WRITERS = 4;
const COMMITS_OF_EACH = 5;

/** A name that no table has. */
export const someTable = (): TableIdent => ({ namespace: 'bronze.demo', name: `orders-${randomUUID()}` });

/** Sets a property, if the table is still the one that was loaded. */
export function setting(uuid: string, key: string): TableChange {
  return {
    requirements: [
      { type: 'assert-table-uuid', uuid },
      { type: 'assert-ref-snapshot-id', ref: 'main', 'snapshot-id': null },
    ],
    updates: [{ action: 'set-properties', updates: { [key]: 'yes' } }],
  };
}

const propertyOf = async (catalog: RemoteCatalog, ident: TableIdent, key: string): Promise<string | undefined> =>
  (await catalog.loadTable(ident))?.metadata.properties[key];

async function livesThrough(t: Test, { catalog, warehouse }: CatalogSubject): Promise<void> {
  const orders = someTable();
  t.equal(await catalog.loadTable(orders), undefined);
  const wanted = () => ({ ...NEW_TABLE, location: `${warehouse}/${randomUUID()}` });
  const made = await catalog.createTable(orders, wanted());
  await t.rejects(catalog.createTable(orders, wanted()), { code: 'table_exists' });
  t.strictSame(await catalog.loadTable(orders), made);
  t.strictSame(made.metadata.schemas[0]?.fields, fields);
  t.equal(await catalog.commitTable(orders, setting(made.metadata['table-uuid'], 'a')), 'committed');
  t.equal(await propertyOf(catalog, orders, 'a'), 'yes');
  t.equal(await catalog.commitTable(orders, setting('00000000-0000-4000-8000-000000000000', 'b')), 'conflict');
  t.equal(await propertyOf(catalog, orders, 'b'), undefined);
  const listed = await catalog.listTables(['bronze.demo', 'bronze.nobody']);
  t.ok(listed.some(({ name }) => name === orders.name));
  t.ok(await catalog.dropTable(orders));
  t.notOk(await catalog.dropTable(orders));
  await t.rejects(catalog.commitTable(orders, setting(randomUUID(), 'c')), { code: 'table_missing' });
}

/** A change that adds a snapshot of this id to a table that is at another. */
async function adding(io: FileIO, ident: TableIdent, { catalog, id }: { catalog: RemoteCatalog; id: bigint }) {
  const metadata = (await catalog.loadTable(ident))!.metadata;
  const { location, 'current-snapshot-id': parent } = metadata;
  const manifestList = `${location}/metadata/snap-${id}.avro`;
  if (!(await io.exists(manifestList))) await io.write(manifestList, Buffer.from('x'));
  const snapshot = {
    ...{ 'snapshot-id': id, 'sequence-number': metadata['last-sequence-number'] + 1n, 'timestamp-ms': Date.now() },
    ...{ 'manifest-list': manifestList, summary: { operation: 'append' }, 'schema-id': 0 },
    ...(parent !== undefined && { 'parent-snapshot-id': parent }),
  };
  return {
    requirements: [
      { type: 'assert-table-uuid', uuid: metadata['table-uuid'] },
      { type: 'assert-ref-snapshot-id', ref: 'main', 'snapshot-id': parent ?? null },
    ],
    updates: [
      { action: 'add-snapshot', snapshot },
      { action: 'set-snapshot-ref', 'ref-name': 'main', type: 'branch', 'snapshot-id': id },
    ],
  };
}

async function keepsDigits(t: Test, { catalog, io }: CatalogSubject): Promise<void> {
  const orders = someTable();
  await catalog.createTable(orders, NEW_TABLE);
  const change = await adding(io, orders, { catalog, id: 9_007_199_254_740_993n });
  t.equal(await catalog.commitTable(orders, change), 'committed');
  t.equal(await catalog.commitTable(orders, change), 'conflict', 'the reference has moved');
  t.equal((await catalog.loadTable(orders))?.metadata['current-snapshot-id'], 9_007_199_254_740_993n);
  const next = await adding(io, orders, { catalog, id: 9_007_199_254_740_995n });
  t.equal(await catalog.commitTable(orders, next), 'committed', 'the reference is told digit for digit');
}

async function leavesOneLine(t: Test, { catalog, io }: CatalogSubject): Promise<void> {
  const orders = someTable();
  await catalog.createTable(orders, NEW_TABLE);
  const write = async (writer: number): Promise<void> => {
    for (let number = 1; number <= COMMITS_OF_EACH; ) {
      const change = await adding(io, orders, { catalog, id: BigInt(writer * 1_000 + number) });
      if ((await catalog.commitTable(orders, change)) === 'committed') number += 1;
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer + 1)));
  const { snapshots = [] } = (await catalog.loadTable(orders))?.metadata ?? {};
  const parents = snapshots.map((one) => one['parent-snapshot-id']);
  t.strictSame(parents, [undefined, ...snapshots.slice(0, -1).map((one) => one['snapshot-id'])]);
  t.equal(snapshots.length, WRITERS * COMMITS_OF_EACH);
}

const MADE: readonly (readonly [fault: Fault, stands: boolean])[] = [
  ['cut_after', true],
  ['refuse_after', true],
  ['truncate', true],
  ['cut', false],
  ['refuse', false],
];

async function isUnknown(t: Test, { catalog, proxy }: CatalogSubject): Promise<void> {
  const orders = someTable();
  const uuid = (await catalog.createTable(orders, NEW_TABLE)).metadata['table-uuid'];
  for (const [fault, stands] of MADE) {
    proxy.choose(({ method }) => (method === 'POST' ? fault : undefined));
    const before = proxy.seen.length;
    t.equal(await catalog.commitTable(orders, setting(uuid, fault)), 'unknown');
    t.equal(proxy.seen.length - before, 1);
    t.equal((await propertyOf(catalog, orders, fault)) === 'yes', stands, fault);
  }
}

async function comesLate(t: Test, { catalog, proxy }: CatalogSubject): Promise<void> {
  const orders = someTable();
  const uuid = (await catalog.createTable(orders, NEW_TABLE)).metadata['table-uuid'];
  proxy.choose(({ method }) => (method === 'POST' ? 'late' : undefined));
  t.equal(await catalog.commitTable(orders, setting(uuid, 'late')), 'unknown');
  t.equal(await propertyOf(catalog, orders, 'late'), undefined);
  await proxy.deliver();
  t.equal(await propertyOf(catalog, orders, 'late'), 'yes');
}

async function triesAgain(t: Test, { catalog, proxy }: CatalogSubject): Promise<void> {
  const orders = someTable();
  await catalog.createTable(orders, NEW_TABLE);
  let left = 3;
  proxy.choose(() => (left-- > 0 ? 'cut' : undefined));
  t.ok(await catalog.loadTable(orders));
  proxy.choose(() => 'refuse');
  await t.rejects(catalog.loadTable(orders), { code: 'store_unavailable' });
  await t.rejects(catalog.createTable(orders, NEW_TABLE), { code: 'store_unavailable' });
  const fresh = restCatalog({ uri: proxy.url, catalogName: 'weir' });
  t.equal(await fresh.commitTable(orders, setting(randomUUID(), 'y')), 'unknown');
}

async function movesSeveral(t: Test, { catalog }: CatalogSubject): Promise<void> {
  const [orders, lines] = [someTable(), someTable()];
  const uuidOf = async (ident: TableIdent) => (await catalog.createTable(ident, NEW_TABLE)).metadata['table-uuid'];
  const [first, second] = [await uuidOf(orders), await uuidOf(lines)];
  const change = (right: string, key: string) => [
    { ident: orders, ...setting(first, key) },
    { ident: lines, ...setting(right, key) },
  ];
  t.equal(await catalog.commitTables(change(first, 'a')), 'conflict');
  t.equal(await propertyOf(catalog, orders, 'a'), undefined);
  t.equal(await catalog.commitTables(change(second, 'b')), 'committed');
  for (const ident of [orders, lines]) t.equal(await propertyOf(catalog, ident, 'b'), 'yes');
}

async function listsAll(t: Test, { catalog }: CatalogSubject): Promise<void> {
  const namespace = 'bronze.demo.pages';
  await catalog.ensureNamespace(namespace);
  const names = NAMES.map((name) => ({ namespace, name }));
  for (const ident of names) await catalog.createTable(ident, NEW_TABLE);
  t.strictSame(
    await catalog.listTables([namespace]),
    names.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  );
  for (const ident of names) t.ok(await catalog.loadTable(ident), ident.name);
}

async function takesAnyName(t: Test, { catalog }: CatalogSubject): Promise<void> {
  for (const name of [`a b%/ü ${randomUUID()}`, `x.y?${randomUUID()}`]) {
    const ident = { namespace: 'bronze.demo', name };
    await catalog.createTable(ident, NEW_TABLE);
    t.ok(await catalog.loadTable(ident), name);
  }
}

type Case = (t: Test, subject: CatalogSubject) => Promise<void>;

/** What only some catalogs can. */
export const ABILITIES = {
  'several tables move together or not at all': movesSeveral,
  'a table may have any name': takesAnyName,
} as const satisfies Readonly<Record<string, Case>>;

const CASES: Readonly<Record<string, Case>> = {
  'a table is made, loaded, listed, changed and forgotten': livesThrough,
  'snapshot ids keep every digit in both directions': keepsDigits,
  'writers who race leave one line of snapshots': leavesOneLine,
  'a lost answer to a commit is unknown, whether or not the change was made, and is sent once': isUnknown,
  'a change that comes late is made late': comesLate,
  'what reads is tried again; a catalog that stays silent is store_unavailable': triesAgain,
  'listings have every table': listsAll,
};

/** What our client must get from every REST catalog, whoever made it, and from those that have more abilities. */
export async function catalogConformance(
  t: Test,
  subject: CatalogSubject,
  abilities: Readonly<Record<string, Case>> = {},
): Promise<void> {
  const { catalog, proxy } = subject;
  await catalog.ensureNamespace('bronze.demo');
  t.equal(await catalog.commitsManyTables(), Object.values(abilities).includes(movesSeveral));
  for (const [name, run] of Object.entries({ ...CASES, ...abilities })) {
    await t.test(name, (t) => {
      proxy.choose(() => undefined);
      return run(t, subject);
    });
  }
}
