import { Problem } from '@weir/kernel/contract';
import t from 'tap';
import { assertFitting, type Materializing } from '../src/model/materialization.ts';

const RESULT = {
  columns: [
    { name: 'Id', type: 'long' },
    { name: 'rate', type: 'double' },
    { name: 'tags', type: { list: 'string' } },
  ],
  inputs: ['bronze.acme.orders'],
};

t.test('columns and inputs that a definition names → those of the result, of types that compare', async (t) => {
  const judged = (more: Partial<Materializing>) => {
    const how = { materialization: 'merge' as const, key: [], partitionBy: [], incremental: null, ...more };
    try {
      assertFitting(how, RESULT);
      return [];
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return error.details.errors?.map(({ pointer, code }) => `${pointer} ${code}`);
    }
  };
  t.strictSame(judged({ key: ['id'], incremental: 'Bronze.acme.orders' }), []);
  t.strictSame(judged({ key: ['id', 'gone', 'rate', 'tags'] }), [
    ...['/key/1 column_unknown', '/key/2 column_type', '/key/3 column_type'],
  ]);
  t.strictSame(judged({ partitionBy: ['rate'] }), ['/partition_by/0 column_type']);
  t.strictSame(judged({ incremental: 'bronze.acme.other' }), ['/incremental not_an_input']);
});
