import { type Static, Type } from '@sinclair/typebox';
import { Closed, endpoint, kernelProblems, listQuery, Name, Page } from '@weir/kernel/contract';
import { createTransform, Transform } from '@weir/plugin-transforms/contract';
import { applySqlTransforms, readPatterns, syncPatterns } from './access.ts';
import { Categories, Category, PackageFault, Parameters, PatternId, Schema, SyncResult } from './catalog.ts';

/** A SQL transform: an expression over one column, for columns of some types. */
export const SqlTransform = Type.Object({
  transform_id: PatternId,
  version: Type.String({ description: 'Version of its package' }),
  title: Type.String(),
  category: Category,
  description: Type.String(),
  types: Type.Array(Type.String(), { description: 'Types of columns that it takes, in the words of the table format' }),
  parameters: Schema,
  expression: Type.String({ description: 'The template of its expression' }),
});
export type SqlTransformView = Static<typeof SqlTransform>;

const SqlTransformPage = Type.Composite([Page(SqlTransform), Type.Object({ faults: Type.Array(PackageFault) })]);
const query = listQuery(['transform_id'], {
  category: Type.Optional({ ...Category, description: 'Only those of this category' }),
});
const columns = ['transform_id', 'category', 'types', 'title'];

/** `GET /sql-transforms` */
export const listSqlTransforms = endpoint({
  id: 'transform_patterns.list_sql_transforms',
  method: 'GET',
  path: '/sql-transforms',
  summary: 'List the SQL transforms: expressions over one column',
  access: readPatterns,
  query,
  response: SqlTransformPage,
  errors: [kernelProblems.invalidPageToken],
  cli: { words: 'sql-transforms list', columns },
});

/** `GET /sql-transforms/categories` */
export const listSqlTransformCategories = endpoint({
  id: 'transform_patterns.list_sql_transform_categories',
  method: 'GET',
  path: '/sql-transforms/categories',
  summary: 'List the categories of SQL transforms',
  access: readPatterns,
  response: Categories,
  cli: { words: 'sql-transforms categories', columns: ['category', 'count'] },
});

/** `GET /sql-transforms/for-type/{sql_type}` */
export const listSqlTransformsForType = endpoint({
  id: 'transform_patterns.list_sql_transforms_for_type',
  method: 'GET',
  path: '/sql-transforms/for-type/:sql_type',
  summary: 'List the SQL transforms that take a column of a type',
  description:
    'Types are those of the table format, such as long or decimal(18, 2); SQL names such as varchar work too. A type that no SQL transform takes gives an empty list.',
  access: readPatterns,
  params: Closed({
    sql_type: Type.String({
      pattern: '^[A-Za-z][A-Za-z0-9_ ]{0,40}(\\([0-9]{1,3}(, ?[0-9]{1,3})?\\))?$',
      description: 'Type of the column, such as string',
    }),
  }),
  query,
  response: SqlTransformPage,
  errors: [kernelProblems.invalidPageToken],
  cli: { words: 'sql-transforms for-type', columns },
});

const params = Closed({ transform_id: PatternId });

/** `GET /sql-transforms/{transform_id}` */
export const getSqlTransform = endpoint({
  id: 'transform_patterns.get_sql_transform',
  method: 'GET',
  path: '/sql-transforms/:transform_id',
  summary: 'Read a SQL transform with the schema of its parameters',
  access: readPatterns,
  params,
  response: SqlTransform,
  errors: [kernelProblems.notFound],
  cli: 'sql-transforms get',
});

const MAX_COLUMNS = 100;
const MAX_COLUMN_CHARS = 255;
const { output, description, tags } = createTransform.body?.properties ?? ({} as never);

/** `POST /sql-transforms/{transform_id}/apply` */
export const applySqlTransform = endpoint({
  id: 'transform_patterns.apply_sql_transform',
  method: 'POST',
  path: '/sql-transforms/:transform_id/apply',
  summary: 'Create a transform that applies a SQL transform to columns of a dataset',
  description: 'Nothing runs. Hydrate it next: that checks the columns and their types.',
  access: applySqlTransforms,
  params,
  body: Closed({
    name: Name,
    output,
    input: Type.String({ minLength: 1, maxLength: 602, description: 'The dataset whose columns are meant' }),
    columns: Type.Array(Type.String({ minLength: 1, maxLength: MAX_COLUMN_CHARS }), {
      minItems: 1,
      maxItems: MAX_COLUMNS,
      uniqueItems: true,
      description: 'Columns that it is applied to; all others stay as they are',
    }),
    suffix: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9_]{1,60}$',
        description: 'Keep the columns, and add the results under their names with this ending',
      }),
    ),
    parameters: Type.Optional(Parameters),
    description,
    tags,
  }),
  example: {
    name: 'orders_trimmed',
    output: 'silver.demo.orders_trimmed',
    input: 'bronze.demo.shop__orders',
    columns: ['customer'],
  },
  status: 201,
  location: '/transforms/:transform_id',
  response: Transform,
  errors: [kernelProblems.notFound, ...(createTransform.errors ?? [])],
  cli: {
    words: 'sql-transforms apply',
    flags: { output: 'to' },
    examples: [
      [
        'Trim two columns',
        'weir sql-transforms apply trim --name clean_people --to silver.demo.people --input bronze.demo.crm__people --columns first_name --columns last_name',
      ],
    ],
  },
});

/** `POST /sql-transforms/sync` */
export const syncSqlTransforms = endpoint({
  id: 'transform_patterns.sync_sql_transforms',
  method: 'POST',
  path: '/sql-transforms/sync',
  summary: 'Read the transform packages again',
  description: 'The same as POST /transform-patterns/sync: packages hold both.',
  access: syncPatterns,
  response: SyncResult,
  cli: { words: 'sql-transforms sync', columns: ['kind', 'pattern_id', 'version', 'outcome'] },
});
