import { type Field, identifier, literal, sqlType } from '@weir/plugin-datasets/stage';
import { MAX_CHOSEN_VALUES, type PartitionChoice, type PartitionValue } from '../contract/group/partition-choice.ts';
import type { ArtifactContent } from './artifact-content.ts';

type Content = Pick<ArtifactContent, 'materialization' | 'partition_by' | 'columns'>;
type Fault = { pointer: string; code: string };

/** Why the partitions of this output cannot be chosen so. Pure. */
export function choiceFaults(choice: PartitionChoice, content: Content): Fault[] {
  if (content.materialization !== 'partition_overwrite') return [{ pointer: '', code: 'not_of_materialization' }];
  const type = partitionType(choice, content);
  if (type === undefined) return [{ pointer: '/column', code: 'not_a_partition' }];
  const unfit = (value: PartitionValue, pointer: string) =>
    fits(type, value) ? [] : [{ pointer, code: 'value_unfit' }];
  if ('values' in choice) {
    const { values } = choice;
    if (values.length === 0) return [{ pointer: '/values', code: 'required' }];
    if (values.length > MAX_CHOSEN_VALUES) return [{ pointer: '/values', code: 'too_many' }];
    return values.flatMap((value, at) => (value === null ? [] : unfit(value, `/values/${at}`)));
  }
  const { from, to } = choice;
  const order = ORDERS[type];
  if (order === undefined) return [{ pointer: '/from', code: 'range_unfit' }];
  const faults = [...unfit(from, '/from'), ...unfit(to, '/to')];
  const isEmpty = faults.length === 0 && order(String(from), String(to)) >= 0;
  return isEmpty ? [{ pointer: '/to', code: 'range_empty' }] : faults;
}

/** A statement that may stand in a subquery, with no rows but those of the chosen partitions. The choice is without faults. */
export const chosenSql = (sql: string, choice: PartitionChoice, content: Content): string =>
  `SELECT * FROM (\n${sql}\n) WHERE ${chosenCondition(choice, content)}`;

/** What holds of the rows of the chosen partitions. */
export function chosenCondition(choice: PartitionChoice, content: Content): string {
  const type = sqlType(partitionType(choice, content) as Field['type']);
  const column = identifier(choice.column);
  const typed = (value: PartitionValue) => `CAST(${literal(String(value))} AS ${type})`;
  if ('from' in choice) return `${column} >= ${typed(choice.from)} AND ${column} < ${typed(choice.to)}`;
  const values = choice.values.filter((value) => value !== null).map(typed);
  const conditions = [
    ...(values.length === 0 ? [] : [`${column} IN (${values.join(', ')})`]),
    ...(choice.values.includes(null) ? [`${column} IS NULL`] : []),
  ];
  return conditions.join(' OR ');
}

function partitionType({ column }: PartitionChoice, { partition_by: by = [], columns }: Content): string | undefined {
  const isSame = (name: string) => name.toLowerCase() === column.toLowerCase();
  const type = by.some(isSame) ? columns.find(({ name }) => isSame(name))?.type : undefined;
  return typeof type === 'string' ? type : undefined;
}

const WHOLE = /^-?\d{1,19}$/;
const DECIMAL = /^-?0*(\d{0,38}?)(?:\.(\d{0,38}?)0*)?$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^\d{2}:\d{2}:\d{2}(\.\d{1,6})?$/;
const STAMP = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(\.\d{1,6})?$/;
const ZONED = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(\.\d{1,6})?(Z|[+-]\d{2}:\d{2})$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a day of the calendar is meant: JavaScript rolls the 30th of February over. */
const isDay = (text: string): boolean => {
  const at = new Date(`${text.slice(0, 10)}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().slice(0, 10) === text.slice(0, 10);
};
const isStored = (text: string): boolean => !text.includes('\0') && text.isWellFormed();
const within = (bits: number) => (text: string) =>
  WHOLE.test(text) && BigInt.asIntN(bits, BigInt(text)) === BigInt(text);

/** A digit more than the type has would be rounded to another partition. */
function isDecimal(type: string, text: string): boolean {
  const [, precision = 0, scale = 0] = /^decimal\((\d+),\s*(\d+)\)$/.exec(type)?.map(Number) ?? [];
  const [, whole = '', part = ''] = DECIMAL.exec(text) ?? [];
  return /\d/.test(text) && DECIMAL.test(text) && whole.length <= precision - scale && part.length <= scale;
}

/** Which texts are values of a type. */
const FORMS: Readonly<Record<string, (text: string) => boolean>> = {
  int: within(32),
  long: within(64),
  date: (text) => DATE.test(text) && isDay(text),
  time: (text) => TIME.test(text) && !Number.isNaN(Date.parse(`1970-01-01T${text}Z`)),
  timestamp: (text) => STAMP.test(text) && isDay(text) && !Number.isNaN(Date.parse(`${text.replace(' ', 'T')}Z`)),
  timestamptz: (text) => ZONED.test(text) && isDay(text) && !Number.isNaN(Date.parse(text.replace(' ', 'T'))),
  uuid: (text) => UUID.test(text),
};

function fits(type: string, value: PartitionValue): boolean {
  if (type === 'boolean') return typeof value === 'boolean';
  if (type === 'string') return typeof value === 'string' && isStored(value);
  const isWhole = type === 'int' || type === 'long';
  const text = typeof value === 'number' && isWhole && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text !== 'string') return false;
  return type.startsWith('decimal') ? isDecimal(type, text) : (FORMS[type]?.(text) ?? false);
}

const ofWholes = (one: string, other: string) => Number(BigInt(one) - BigInt(other));
const ofBytes = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));
const clock = (text: string) => Date.parse(ZONED.test(text) ? text.replace(' ', 'T') : `${text.replace(' ', 'T')}Z`);
/** Two texts of one millisecond may differ behind it. */
const ofStamps = (one: string, other: string) => (one === other ? 0 : clock(one) - clock(other) || -1);

/** How values of a type are ordered; others have no ranges. */
const ORDERS: Readonly<Record<string, (one: string, other: string) => number>> = {
  ...{ int: ofWholes, long: ofWholes, string: ofBytes, date: ofBytes, timestamp: ofStamps, timestamptz: ofStamps },
};
