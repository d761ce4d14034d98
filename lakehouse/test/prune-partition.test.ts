import fc from 'fast-check';
import t from 'tap';
import { CONDITION_OPS, type Field, parseCondition, type TableMetadata, type Transform } from '../src/index.ts';
import { partitionSummaries } from '../src/manifest/partition-summary.ts';
import { canTransform } from '../src/partition/partition-by.ts';
import { applyTransform } from '../src/partition/partition-transform.ts';
import { partitionSpec, typedPartitionFields } from '../src/partition/partition-type.ts';
import { conditionText } from '../src/scan/condition-text.ts';
import { partitionPruner } from '../src/scan/prune-partition.ts';
import { encodeBound } from '../src/schema/bounds.ts';
import { fits, type TypedValue, VALUES } from './typed-values.ts';

const TRANSFORMS: Transform[] = [
  ...(['identity', 'void', 'year', 'month', 'day', 'hour'] as const),
  ...(['bucket[3]', 'bucket[16]', 'truncate[1]', 'truncate[3]', 'truncate[10]'] as const),
];
const RUNS = 3_000;

const someCase = fc.constantFrom(...VALUES).chain(([type, value]) =>
  fc.record({
    type: fc.constant(type),
    transform: fc.constantFrom(...TRANSFORMS.filter((one) => canTransform(one, type))),
    values: fc.array(fc.option(value), { minLength: 1, maxLength: 5 }),
    constant: value,
    op: fc.constantFrom(...CONDITION_OPS),
  }),
);

const tableOf = (field: Field, transform: Transform): TableMetadata =>
  ({
    'current-schema-id': 0,
    schemas: [{ type: 'struct', 'schema-id': 0, fields: [field] }],
    'partition-specs': [{ 'spec-id': 0, fields: [{ 'source-id': 7, 'field-id': 1000, name: 'p', transform }] }],
  }) as unknown as TableMetadata;

t.test('partition values never rule out a file or a manifest that holds a fitting row', async (t) => {
  const ruledOut = { files: 0, lists: 0 };
  fc.assert(
    fc.property(someCase, ({ type, transform, values, constant, op }) => {
      const field: Field = { id: 7, name: 'v', required: false, type };
      const bare = op === 'is_null' || op === 'not_null';
      const condition = parseCondition(field, op, bare ? undefined : constant.text);
      if (typeof condition !== 'object') return;
      const table = tableOf(field, transform);
      const pruner = partitionPruner(table, 0, [condition]);
      const partitions = values.map((value) => ({ 1000: partitionOf(value, type, transform) }));
      for (const [at, value] of values.entries()) {
        const may = pruner.mayHold(partitions[at]!);
        if (!may) ruledOut.files += 1;
        if (!may && fits(op, value, constant)) throw new Error('a file with a fitting row was ruled out');
      }
      const summaries = partitionSummaries(typedPartitionFields(table, partitionSpec(table, 0)), partitions);
      const may = pruner.mayList(summaries);
      if (!may) ruledOut.lists += 1;
      if (!may && values.some((value) => fits(op, value, constant))) throw new Error('a manifest was ruled out');
      if (!may && partitions.some((one) => pruner.mayHold(one)))
        throw new Error('a manifest tells more than its files');
    }),
    { numRuns: RUNS },
  );
  t.ok(ruledOut.files > RUNS / 4, `${ruledOut.files} files were ruled out`);
  t.ok(ruledOut.lists > RUNS / 20, `${ruledOut.lists} manifests were ruled out`);

  function partitionOf(value: TypedValue | null, type: Field['type'], transform: Transform): Buffer | null {
    if (value === null || typeof type !== 'string') return null;
    const text = conditionText(type, value.text) ?? value.text;
    const bytes = type === 'string' ? Buffer.from(text) : (encodeBound(type, text, 'lower') ?? nan(type));
    return applyTransform(transform, type, bytes);
  }
});

function nan(type: string): Buffer {
  const raw = Buffer.alloc(type === 'float' ? 4 : 8);
  if (type === 'float') raw.writeFloatLE(Number.NaN);
  else raw.writeDoubleLE(Number.NaN);
  return raw;
}

t.test('conditions are projected through each transform', async (t) => {
  const field: Field = { id: 7, name: 'v', required: false, type: 'timestamp' };
  const at = (text: string) => encodeBound('timestamp', text, 'lower') ?? null;
  const may = (transform: Transform, op: (typeof CONDITION_OPS)[number], constant: string, value: string) => {
    const condition = parseCondition(field, op, constant);
    const pruner = partitionPruner(tableOf(field, transform), 0, typeof condition === 'object' ? [condition] : []);
    return pruner.mayHold({ 1000: applyTransform(transform, 'timestamp', at(value)) });
  };
  t.ok(may('day', 'eq', '2024-05-06T10:00:00', '2024-05-06 23:00:00'));
  t.notOk(may('day', 'eq', '2024-05-06T10:00:00', '2024-05-07 00:00:00'));
  t.notOk(may('month', 'gt', '2024-05-06', '2024-04-30 00:00:00'));
  t.ok(may('month', 'gt', '2024-05-06', '2024-05-01 00:00:00'));
  t.notOk(may('year', 'lt', '2024-05-06', '2025-01-01 00:00:00'));
  t.notOk(may('hour', 'le', '2024-05-06T01:59:59', '2024-05-06 02:00:00'));
});
