import { inLane } from '../../../test/lane.ts';
import { type Column, currentSchema, QUARANTINE_COLUMNS, type Transform, withMetaColumns } from '../../src/index.ts';
import { EVERY_TYPE, everyTypeRows } from './every-type.ts';
import type { TableAt } from './table-keeper.ts';
import type { Data, Workshop } from './workshop.ts';

/** A form that a table of ours can have, with the number of rows that it then has. */
export type Shape = {
  readonly name: string;
  readonly rows: number;
  make(shop: Workshop): Promise<TableAt>;
  /** Data for one more row of it. */
  readonly more: Data;
};

const COLUMNS: readonly Column[] = [
  { name: 'id', type: 'int' },
  { name: 's', type: 'string' },
  { name: 'm', type: 'decimal(9, 2)' },
  { name: 'at', type: 'timestamptz' },
];
/** More appends than a table keeps manifests before it merges them. */
const MANY_APPENDS = 104;

const plain = (id: number, more: Data = {}): Data => ({
  id,
  s: `text ${id}`,
  m: `${id}.25`,
  at: `2024-01-${String(1 + (id % 28)).padStart(2, '0')}T0${id % 10}:00:00.000001Z`,
  ...more,
});
const some = (from: number, count: number): Data[] => Array.from({ length: count }, (_, at) => plain(from + at));
const idOf = ({ metadata }: TableAt, name: string): number =>
  currentSchema(metadata).fields.find((field) => field.name === name)!.id;

const NESTED: readonly Column[] = [
  { name: 'id', type: 'int' },
  {
    name: 'st',
    type: {
      struct: [
        { name: 'a', type: 'long' },
        { name: 'b', type: { struct: [{ name: 'c', type: 'string' }] } },
      ],
    },
  },
  { name: 'li', type: { list: { struct: [{ name: 'x', type: 'double' }] } } },
  { name: 'ma', type: { map: { key: 'string', value: { list: 'int' } } } },
];
const nested = (id: number): Data => ({
  id,
  st: { a: String(2n ** 60n + BigInt(id)), b: { c: `c${id}` } },
  li: [{ x: id / 4 }, { x: null }],
  ma: { one: [1, id], two: [] },
});

/** A table that is divided by each kind of transform, over columns that stay in its files. */
const divided = (column: string, transform: Transform): Shape => ({
  name: `partitioned by ${transform} of ${column}`,
  rows: 8,
  more: plain(90),
  async make(shop) {
    const at = await shop.bronze(COLUMNS, [{ column, transform }]);
    return shop.append(await shop.append(at, [...some(1, 4), { id: 5 }]), some(20, 3));
  },
});

async function evolved(shop: Workshop): Promise<TableAt> {
  const columns: Column[] = [...COLUMNS, { name: 'gone', type: 'string' }, { name: 'f', type: 'float' }];
  let at = await shop.bronze(columns);
  at = await shop.append(at, [plain(1, { gone: 'g', f: 1.5 }), plain(2, { gone: 'g', f: -0.25 })]);
  at = await shop.change(at, [
    { change: 'add', column: { name: 'new', type: 'string' } },
    { change: 'rename', id: idOf(at, 's'), name: 't' },
    { change: 'drop', id: idOf(at, 'gone') },
    { change: 'reorder', id: idOf(at, 'm'), to: 'first' },
    { change: 'widen', id: idOf(at, 'id'), type: 'long' },
    { change: 'widen', id: idOf(at, 'f'), type: 'double' },
    { change: 'widen', id: idOf(at, 'm'), type: 'decimal(20, 2)' },
  ]);
  // A column takes the name of one that is gone, and another type.
  at = await shop.change(at, [{ change: 'add', column: { name: 'gone', type: 'int' } }]);
  return shop.append(at, [{ id: 3, t: 'later', m: '123456789012.25', new: 'n', gone: 7, f: 0.1 }]);
}

const LATER: Data = { id: 91, t: 'more', new: 'n', gone: 8 };
const NO_LINES = [
  { position: 3, reason: 'malformed_json', raw: Buffer.from('{"a":') },
  { position: 9, reason: 'invalid_utf8', raw: Buffer.from([0x7b, 0xff, 0x00, 0x7d]) },
];

/** Merged in the midst of changes: of its columns, of its division, and of the partitions that rows are in. */
const mergedAndChanged = (name: string, strategy: 'copy' | 'positions'): Shape => ({
  name: `${name}, evolved and partitioned`,
  rows: 9,
  more: { id: 91, t: 'more', new: 'n' },
  async make(shop) {
    const columns: Column[] = [...COLUMNS, { name: 'deleted', type: 'string' }];
    let at = await shop.append(await shop.bronze(columns, [{ column: 's', transform: 'identity' }]), some(1, 4));
    at = await shop.append(at, [...some(10, 3), { id: 20 }]);
    at = await shop.merge(at, [plain(2, { s: 'text 3' }), plain(60)], { mode: 'merge', strategy });
    at = await shop.change(at, [
      { change: 'add', column: { name: 'new', type: 'string' } },
      { change: 'rename', id: idOf(at, 's'), name: 't' },
      { change: 'widen', id: idOf(at, 'id'), type: 'long' },
      { change: 'reorder', id: idOf(at, 'm'), to: 'first' },
    ]);
    at = await shop.merge(at, [{ id: 3, t: 'other', new: 'n' }, { id: '5000000000' }], { mode: 'merge', strategy });
    at = await shop.divide(at, [{ column: 'at', transform: 'day' }]);
    const last = [
      { id: 10, t: 'text 10', at: '2024-03-01T00:00:00Z' },
      { id: 20, new: 'was null' },
      { id: 11, deleted: 'y' },
    ];
    return shop.merge(at, last, { mode: 'merge', strategy, deleteMarker: 'deleted' });
  },
});

/** Every form that our writer gives to tables. */
export const SHAPES: readonly Shape[] = [
  {
    name: 'append',
    rows: 8,
    more: plain(90),
    make: async (shop) => shop.append(await shop.append(await shop.bronze(COLUMNS), some(1, 5)), some(10, 3)),
  },
  {
    name: 'overwritten',
    rows: 2,
    more: plain(90),
    make: async (shop) => shop.overwrite(await shop.append(await shop.bronze(COLUMNS), some(1, 5)), some(50, 2)),
  },
  {
    name: 'overwritten under a new schema',
    rows: 4,
    more: { id: 'text', s: 90, m: '90.25', extra: { a: 1 } },
    make: async (shop) => {
      const at = await shop.append(await shop.bronze(COLUMNS, [{ column: 'm', transform: 'identity' }]), some(1, 5));
      const wanted: Column[] = [
        { name: 'id', type: 'string' },
        { name: 's', type: 'long' },
        { name: 'm', type: 'double' },
        { name: 'extra', type: { struct: [{ name: 'a', type: 'int' }] } },
      ];
      const rows = [1, 2, 3, 4].map((id) => ({ id: `n${id}`, s: id, m: `${id}.25`, extra: { a: id } }));
      return shop.replace(at, withMetaColumns(wanted), rows);
    },
  },
  {
    name: 'copy-on-write merged',
    rows: 9,
    more: plain(90),
    async make(shop) {
      const at = await shop.append(await shop.append(await shop.bronze(COLUMNS), some(1, 5)), some(10, 3));
      return shop.merge(at, [plain(2, { s: 'new' }), plain(60)], { mode: 'merge', strategy: 'copy' });
    },
  },
  {
    name: 'position deletes',
    rows: 8,
    more: plain(90),
    async make(shop) {
      const columns: Column[] = [...COLUMNS, { name: 'deleted', type: 'string' }];
      let at = await shop.append(await shop.append(await shop.bronze(columns), some(1, 5)), some(10, 3));
      at = await shop.merge(at, [plain(2, { s: 'new' }), plain(60)], { mode: 'merge', strategy: 'positions' });
      const gone = [{ id: 11, deleted: 'yes' }];
      return shop.merge(at, gone, { mode: 'merge', strategy: 'positions', deleteMarker: 'deleted' });
    },
  },
  {
    name: 'soft-deleted',
    rows: 5,
    more: plain(90),
    async make(shop) {
      const columns: Column[] = [
        ...COLUMNS,
        { name: 'deleted', type: 'string' },
        { name: '_deleted_at', type: 'timestamptz' },
      ];
      const at = await shop.append(await shop.bronze(columns), some(1, 5));
      const gone = [{ id: 2, deleted: '2024-05-06T07:08:09Z' }];
      return shop.merge(at, gone, { mode: 'soft_delete', strategy: 'positions', deleteMarker: 'deleted' });
    },
  },
  mergedAndChanged('copy-on-write merged', 'copy'),
  mergedAndChanged('position deletes', 'positions'),
  {
    name: 'position deletes, rewritten and deleted from again',
    rows: 8,
    more: plain(90),
    async make(shop) {
      const columns: Column[] = [...COLUMNS, { name: 'deleted', type: 'string' }];
      let at = await shop.append(await shop.bronze(columns, [{ column: 'id', transform: 'bucket[2]' }]), some(1, 6));
      at = await shop.append(at, some(10, 3));
      const how = { mode: 'merge', strategy: 'positions', deleteMarker: 'deleted' } as const;
      at = await shop.rewrite(await shop.merge(at, [plain(2, { s: 'new' }), { id: 11, deleted: 'y' }], how));
      at = await shop.merge(at, [plain(3, { s: 'newer' }), { id: 5, deleted: 'y' }], how);
      return shop.append(at, some(50, 1));
    },
  },
  { name: 'evolved', rows: 3, more: LATER, make: evolved },
  {
    name: 'nested',
    rows: 4,
    more: nested(90),
    async make(shop) {
      // PyIceberg reads a list of structs that is NULL as an empty one, of whatever writer.
      const at = await shop.append(await shop.bronze(NESTED), [nested(1), nested(2), { id: 3, li: [] }]);
      const changed = await shop.change(at, [
        { change: 'add', column: { name: 'late', type: 'string' }, parent: idOf(at, 'st') },
      ]);
      return shop.append(changed, [{ id: 4, st: { a: 1, late: 'l' }, li: [], ma: {} }]);
    },
  },
  {
    name: 'every type but time',
    rows: 3,
    more: { id: 90 },
    make: async (shop) => shop.append(await shop.bronze(EVERY_TYPE), everyTypeRows()),
  },
  {
    name: 'time of day',
    rows: 3,
    more: { id: 90 },
    async make(shop) {
      const columns: Column[] = [
        { name: 'id', type: 'int' },
        { name: 'tod', type: 'time' },
      ];
      const rows = [{ id: 1, tod: '23:59:59.999999' }, { id: 2, tod: '00:00:00.000001' }, { id: 3 }];
      return shop.append(await shop.bronze(columns), rows);
    },
  },
  divided('s', 'identity'),
  divided('id', 'bucket[4]'),
  divided('s', 'truncate[6]'),
  divided('at', 'year'),
  divided('at', 'month'),
  divided('at', 'day'),
  divided('at', 'hour'),
  {
    name: 'spec evolved',
    rows: 9,
    more: plain(90),
    async make(shop) {
      let at = await shop.append(await shop.bronze(COLUMNS), some(1, 3));
      at = await shop.append(await shop.divide(at, [{ column: 's', transform: 'truncate[6]' }]), some(10, 3));
      return shop.append(await shop.divide(at, [{ column: 'at', transform: 'day' }]), some(20, 3));
    },
  },
  {
    name: 'merged manifests',
    rows: MANY_APPENDS,
    more: plain(900),
    async make(shop) {
      let at = await shop.bronze(COLUMNS);
      for (let id = 0; id < MANY_APPENDS; id++) at = await shop.append(at, [plain(id)]);
      return at;
    },
  },
  { name: 'empty', rows: 0, more: plain(90), make: (shop) => shop.bronze(COLUMNS) },
  {
    name: 'quarantine',
    rows: 2,
    more: { run_id: 'r', stream: 's', reason: 'no_data', position: 4 },
    make: async (shop) => shop.quarantine(await shop.create(QUARANTINE_COLUMNS), NO_LINES),
  },
  {
    name: 'rows with _errors',
    rows: 3,
    more: plain(90),
    async make(shop) {
      const wrong = [plain(1), plain(2, { id: 'no number', m: 'none' }), plain(3, { extra: { a: [1] } })];
      return shop.append(await shop.bronze(COLUMNS), wrong);
    },
  },
];

/** What `npm test` tries: deletes over changed columns and partitions, every type, nested columns, a replaced schema. */
const FEW = [
  'position deletes, rewritten and deleted from again',
  'position deletes, evolved and partitioned',
  'every type but time',
  'nested',
  'overwritten under a new schema',
];
/** The shapes that this run tries: all in the lane. */
export const TRIED = inLane('interop-all') ? SHAPES : SHAPES.filter(({ name }) => FEW.includes(name));
