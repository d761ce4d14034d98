import { matchColumns } from '@weir/matcher';
import { fieldTransform, sqlTypeOf } from '../fields/cast.ts';
import { type Field, fieldsOfColumns } from '../fields/field.ts';
import { literal, plainName, quoted, quotedId } from '../sql/names.ts';
import { type Aggregate, type Clauses, clausesOf, type Filter, type Group } from './clauses.ts';

/** A dataset that may be read. */
export interface WritableInput {
  dataset_id: string;
  columns: readonly { name: string; type: string }[];
}

export interface WriteAsk {
  description: string;
  inputs: readonly WritableInput[];
  target: readonly Field[] | undefined;
}

export interface Written {
  sql: string;
  explanation: string;
  /** Columns of the result that together name a row. */
  key: readonly string[];
  /** How the parts fit, from 0 to 1. */
  confidence: number;
}

/** Why no statement can be written: a sentence about the request, without its words. */
export class CannotWrite extends Error {
  override readonly name = 'CannotWrite';
}

/** The statement that a description asks for. Throws `CannotWrite` where it is not understood for certain. */
export function writeStatement({ description, inputs, target }: WriteAsk): Written {
  const [input] = inputs;
  if (input === undefined) throw new CannotWrite('no input is named');
  const columns = [...new Map(inputs.flatMap((one) => one.columns.map((column) => [column.name, column]))).values()];
  const isBare = description.trim() === '';
  if (isBare && target === undefined) throw new CannotWrite('neither a description nor a target is given');
  const clauses = isBare
    ? NOTHING
    : clausesOf(
        description,
        columns,
        inputs.map(({ dataset_id }) => dataset_id),
      );
  if (clauses === undefined) throw new CannotWrite('a word of the description is not understood');
  const from = relationOf(clauses, inputs);
  if (target !== undefined) return intoTarget(from, clauses, { columns, target });
  if (clauses.newest !== undefined) return newestOf(from, clauses, clauses.newest);
  if (clauses.aggregates.length > 0) return aggregated(from, clauses);
  if (clauses.groups.length > 0) throw new CannotWrite('groups are named, and nothing to count or add up in them');
  return projected(from, clauses);
}

const NOTHING: Clauses = { groups: [], aggregates: [], filters: [], columns: [], distinct: false };

interface Relation {
  /** The text after FROM. */
  sql: string;
  /** All columns, as a list of SELECT. */
  all: string;
  words: string;
}

/** One input, two that are joined on the columns that both have, or all rows of several. */
function relationOf({ combine }: Clauses, inputs: readonly WritableInput[]): Relation {
  const [first, second] = inputs as [WritableInput, WritableInput?];
  if (second === undefined) return { sql: quotedId(first.dataset_id), all: '*', words: first.dataset_id };
  const names = inputs.map(({ columns }) => columns.map(({ name }) => name));
  if (combine === 'union') {
    const [one = [], ...others] = names;
    if (others.some((other) => other.length !== one.length || one.some((name) => !other.includes(name))))
      throw new CannotWrite('the inputs do not have the same columns');
    const list = one.map(quoted).join(', ');
    const parts = inputs.map(({ dataset_id }) => `select ${list} from ${quotedId(dataset_id)}`);
    return { sql: `(${parts.join('\n  union all ')})`, all: '*', words: 'all rows of the inputs' };
  }
  if (combine !== 'join' || inputs.length > 2)
    throw new CannotWrite('it does not say how several inputs are put together');
  const [left = [], right = []] = names;
  const shared = left.filter((name) => right.includes(name));
  if (shared.length === 0) throw new CannotWrite('the inputs have no column in common to join them by');
  const key =
    shared.find((name) => /(^|_)id$|_?(no|number|key|code)$/i.test(name)) ??
    (shared.length === 1 ? shared[0] : undefined);
  if (key === undefined) throw new CannotWrite('several columns could join the inputs');
  const own = right.filter((name) => !left.includes(name)).map((name) => `r.${quoted(name)}`);
  const all = [...left.map((name) => `l.${quoted(name)}`), ...own].join(', ');
  const sql = `(select ${all}\n  from ${quotedId(first.dataset_id)} l\n  left join ${quotedId(second.dataset_id)} r on r.${quoted(key)} = l.${quoted(key)})`;
  return { sql, all: '*', words: `${first.dataset_id} with ${second.dataset_id} by ${key}` };
}

const COMPARED = { '=': 'is', '<>': 'is not' } as Record<string, string>;

function whereOf(filters: readonly Filter[]): string {
  if (filters.length === 0) return '';
  const sides = filters.map(
    ({ column, op, value }) =>
      `${quoted(column)} ${op}${value === undefined ? '' : ` ${typeof value === 'string' ? literal(value) : value}`}`,
  );
  return `\nwhere ${sides.join('\n  and ')}`;
}

const filterWords = (filters: readonly Filter[]): string =>
  filters.length === 0
    ? ''
    : `, of rows where ${filters.map(({ column, op, value }) => [column, COMPARED[op] ?? op, value].filter((part) => part !== undefined).join(' ')).join(' and ')}`;

function projected({ sql, all, words }: Relation, { columns, distinct, filters }: Clauses): Written {
  const list = columns.length === 0 ? all : columns.map(quoted).join(', ');
  const what = columns.length === 0 ? 'All columns' : `The columns ${columns.join(', ')}`;
  return {
    sql: `select ${distinct ? 'distinct ' : ''}${list}\nfrom ${sql}${whereOf(filters)}`,
    explanation: `${what}${distinct ? ', each row once,' : ''} of ${words}${filterWords(filters)}.`,
    key: distinct ? columns : [],
    confidence: 0.9,
  };
}

function newestOf(
  { sql, all, words }: Relation,
  { filters }: Clauses,
  { key, by }: NonNullable<Clauses['newest']>,
): Written {
  const order = `row_number() over (partition by ${key.map(quoted).join(', ')} order by ${quoted(by)} desc nulls last)`;
  return {
    sql: `select ${all}\nfrom ${sql}${whereOf(filters)}\nqualify ${order} = 1`,
    explanation: `Of the rows of ${words} with the same ${key.join(', ')} the newest by ${by}${filterWords(filters)}.`,
    key,
    confidence: 0.85,
  };
}

const groupName = ({ column, bucket }: Group): string => (bucket === undefined ? column : bucket);
const groupSql = ({ column, bucket }: Group): string =>
  bucket === undefined ? quoted(column) : `date_trunc('${bucket}', ${quoted(column)})`;
const aggregateName = ({ fn, column }: Aggregate): string =>
  column === undefined ? 'row_count' : plainName(`${fn}_${column}`);

function aggregateSql({ fn, column }: Aggregate): string {
  if (column === undefined) return 'count(*)';
  return fn === 'count_distinct' ? `count(distinct ${quoted(column)})` : `${fn}(${quoted(column)})`;
}

function aggregated({ sql, words }: Relation, { groups, aggregates, filters }: Clauses): Written {
  const named = groups.map((group) =>
    group.bucket === undefined ? quoted(group.column) : `${groupSql(group)} as ${quoted(groupName(group))}`,
  );
  const list = [...named, ...aggregates.map((one) => `${aggregateSql(one)} as ${quoted(aggregateName(one))}`)];
  const by = groups.length === 0 ? '' : `\ngroup by ${groups.map(groupSql).join(', ')}`;
  const figures = aggregates.map(({ fn, column }) =>
    column === undefined ? 'the number of rows' : `${fn.replace('_', ' ')} of ${column}`,
  );
  const per =
    groups.length === 0
      ? ''
      : ` for each ${groups.map(({ column, bucket }) => (bucket === undefined ? column : `${bucket} of ${column}`)).join(' and ')}`;
  return {
    sql: `select ${list.join(',\n  ')}\nfrom ${sql}${whereOf(filters)}${by}`,
    explanation: `${capital(figures.join(', '))}${per}, from ${words}${filterWords(filters)}.`,
    key: groups.map(groupName),
    confidence: 0.85,
  };
}

/** A target's field is filled by the column that means the same, cast where its type is another one. */
function intoTarget(
  { sql, words }: Relation,
  { filters, aggregates, groups, newest }: Clauses,
  { columns, target }: { columns: readonly { name: string; type: string }[]; target: readonly Field[] },
): Written {
  if (aggregates.length + groups.length > 0 || newest !== undefined)
    throw new CannotWrite('rows cannot be put together and brought into a target in one statement');
  const sources = fieldsOfColumns(columns);
  const matches = matchColumns(
    target.map(({ name, type }) => (type === null ? { name } : { name, type })),
    columns.map(({ name, type }) => ({ name, type })),
    { topK: 1 },
  );
  const found = target.map((field, at) => {
    const best = matches[at]?.alternatives[0];
    return { field, best, column: best !== undefined && best.score >= 0.5 ? sources[best.index] : undefined };
  });
  const missing = found.filter(({ column, field }) => column === undefined && !field.nullable);
  if (missing.length > 0) throw new CannotWrite('a required field of the target has no column that fits');
  const filled = found.filter(({ column }) => column !== undefined);
  if (filled.length === 0) throw new CannotWrite('no field of the target has a column that fits');
  const list = found.map(({ field, column }) => {
    const expression =
      column === undefined
        ? `cast(null as ${sqlTypeOf(field.type) ?? 'varchar'})`
        : fieldTransform(column, field).expression;
    return expression === quoted(field.name) ? expression : `${expression} as ${quoted(field.name)}`;
  });
  const scores = filled.map(({ best }) => best?.score ?? 0);
  return {
    sql: `select ${list.join(',\n  ')}\nfrom ${sql}${whereOf(filters)}`,
    explanation: `${filled.length} of ${target.length} fields of the target from ${words}${filterWords(filters)}; the others are empty.`,
    key: target.filter(({ primary_key }) => primary_key).map(({ name }) => name),
    confidence: Math.round((scores.reduce((sum, one) => sum + one, 0) / target.length) * 100) / 100,
  };
}

const capital = (text: string): string => `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}`;
