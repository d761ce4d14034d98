import { META_COLUMNS } from '@weir/lakehouse';
import t from 'tap';
import { divideNames, RESERVED_COLUMNS } from '../src/contract.ts';

const NAMES = ['id', 'ID', 'Id', 'a', 'B', '_run_id', '_Errors', '_DELETED_AT', ''];

t.test('reserved names, no name and all but one of a name in several cases → no columns', async (t) => {
  t.strictSame(divideNames(NAMES), {
    columns: ['id', 'a', 'B'],
    refused: ['ID', 'Id', '_run_id', '_Errors', '_DELETED_AT', ''],
  });
  t.strictSame(divideNames([...NAMES].reverse()).columns, ['B', 'a', 'id'], 'whatever their order is');
  t.ok(META_COLUMNS.every(({ name }) => RESERVED_COLUMNS.has(name)));
});

t.test('a column that the table has, then one that is needed → goes first', async (t) => {
  t.strictSame(divideNames(['id', 'ID', 'Id'], { needed: ['Id'] }).columns, ['Id']);
  t.strictSame(divideNames(['id', 'ID', 'Id'], { needed: ['Id'], has: ['ID'] }).columns, ['ID']);
  t.strictSame(divideNames(['id'], { has: ['ID'] }), { columns: [], refused: ['id'] });
});
