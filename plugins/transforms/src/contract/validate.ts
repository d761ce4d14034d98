import { Type } from '@sinclair/typebox';
import { Closed, endpoint, kernelProblems, Nullable, OneOf } from '@weir/kernel/contract';
import { datasetProblems } from '@weir/plugin-datasets/contract';
import { LineageColumn } from '@weir/plugin-lineage/contract';
import { runQueries } from './access.ts';
import { OutputColumn } from './artifacts.ts';
import { transformProblems } from './problems.ts';
import { newTransform } from './transforms.ts';

/** Who writes a table that is not there yet. */
const Producer = Type.Object(
  { kind: Type.String(), id: Type.String(), name: Type.String() },
  { description: 'The source or transform that makes the input, which is not there yet' },
);

/** What is wrong in a definition. */
export const Fault = Type.Object({
  code: Type.String(),
  pointer: Type.String({ description: 'The member of the definition' }),
  message: Type.Optional(Type.String({ description: 'What is wrong, to be read after the place' })),
  check: Type.Optional(Type.String({ description: 'The check that is at fault, by name' })),
  dataset_id: Type.Optional(Type.String({ description: 'The input that is at fault' })),
  producer: Type.Optional(Producer),
  nearest: Type.Optional(Type.String({ description: 'The column or dataset that may have been meant' })),
  from: Type.Optional(Type.String({ description: 'The type of a value that does not fit, in the words of DuckDB' })),
  to: Type.Optional(Type.String({ description: 'The type that it does not fit' })),
  line: Type.Optional(Type.Integer()),
  column: Type.Optional(Type.Integer({ description: 'Line and column count from 1, columns in characters' })),
});

const { name, output, ...definition } = newTransform;

const digits = (description: string) => Type.String({ description: `${description}, in decimal digits` });

/** What a statement may do that its author does not mean. */
const Finding = Type.Object({
  rule: Type.String({ description: 'Which rule of the review, such as fan-out' }),
  severity: OneOf(['error', 'warning', 'note'], {
    description: 'error: it does not do what it says; warning: other rows than are meant; note: there is a better way',
  }),
  message: Type.String(),
  name: Type.Optional(Type.String({ description: 'The column, relation or function' })),
  line: Type.Integer(),
  column: Type.Integer({ description: 'Line and column count from 1, columns in characters' }),
});

/** What a definition that is not saved would do. */
export const Validation = Type.Object({
  valid: Type.Boolean({ description: 'Whether a run could carry it out' }),
  faults: Type.Array(Fault),
  inputs: Type.Array(
    Type.Object({
      dataset_id: Type.String(),
      snapshot_id: Nullable(Type.String()),
      rows: digits('Rows'),
      bytes: digits('Bytes of its files'),
      not_made: Nullable(Producer),
    }),
  ),
  columns: Type.Array(OutputColumn, { description: 'Of the result; empty where there are faults' }),
  lineage: Type.Array(LineageColumn),
  findings: Type.Array(Finding, { description: 'Of the review; a run carries out the statement all the same' }),
  estimate: Nullable(
    Type.Object(
      { rows: digits('Rows'), bytes: digits('Bytes') },
      { description: 'What a run would read of its inputs at most; null where they are not known' },
    ),
  ),
});

/** `POST /transforms/validate` */
export const validateTransform = endpoint({
  id: 'transforms.validate_transform',
  method: 'POST',
  path: '/transforms/validate',
  summary: 'Find what is wrong in a definition that is not saved, and what it would read and make',
  description: 'Reads no rows and keeps nothing. Faults of the definition are answered, not refused.',
  access: runQueries,
  body: Closed({ ...definition, name: Type.Optional(name), output: Type.Optional(output) }),
  example: {
    sql: 'select ordered_at::date as day, count(*) as orders from bronze.demo.shop__orders group by 1',
    output: 'gold.demo.orders_by_day',
  },
  response: Validation,
  errors: [
    ...[kernelProblems.conflict, kernelProblems.dependencyUnavailable],
    ...[datasetProblems.invalidDatasetId, datasetProblems.datasetUnreadable, datasetProblems.storageFull],
    ...[datasetProblems.storeDenied, datasetProblems.storeUnavailable],
    ...[transformProblems.sqlBoundMet, transformProblems.sqlStopped],
  ],
  cli: {
    words: 'transforms validate',
    flags: { output: 'to' },
    examples: [['Before it is saved', 'weir transforms validate -f sales-by-day.yaml']],
  },
});
