import { type FieldFault, kernelProblems } from '@weir/kernel/contract';
import {
  CONDITION_OPS,
  type Condition,
  type ConditionOp,
  type Field,
  isOrdered,
  parseCondition,
  type ReadOrder,
  type TableSchema,
} from '@weir/lakehouse';

/** What was asked for, as the query says it: one text or several. */
export interface AskedPreview {
  columns?: string | string[];
  filter?: string | string[];
  order?: string;
}

/** What it means for a schema. */
export interface PreviewQuery {
  columns: string[] | undefined;
  conditions: Condition[];
  order: ReadOrder | undefined;
}

interface Fault {
  pointer: string;
  code: string;
}

/**
 * Reads columns, filters and order against the columns of a schema. Names are taken whole first, so that a column may
 * hold the characters that separate things here. Throws `validation_failed` with every fault, and no word of the input.
 */
export function previewQuery(schema: TableSchema, asked: AskedPreview): PreviewQuery {
  const fields = new Map(schema.fields.map((field) => [field.name, field]));
  const faults: Fault[] = [];
  const columns = asked.columns === undefined ? undefined : wantedColumns(fields, textList(asked.columns), faults);
  const conditions = textList(asked.filter).flatMap((text, at) => {
    const found = condition(fields, text);
    if (typeof found === 'object') return [found];
    faults.push({ pointer: `/query/filter/${at}`, code: found });
    return [];
  });
  const order = asked.order === undefined ? undefined : wantedOrder(fields, asked.order);
  if (typeof order === 'string') faults.push({ pointer: '/query/order', code: order });
  if (faults.length > 0 || typeof order === 'string')
    throw kernelProblems.validationFailed({ errors: faults.map(withSentence) });
  return { columns, conditions, order };
}

const SENTENCES: Readonly<Record<string, string>> = {
  repeated_column: 'names a column twice',
  type_not_ordered: 'names a column whose values have no order',
  unknown_operator: 'has an operator that is not known: column:operator:value',
};

function withSentence(fault: Fault): FieldFault {
  const { code } = fault;
  const ofValue = code.endsWith('_not_of_type') ? 'does not fit the type of its column' : undefined;
  const message = SENTENCES[code] ?? ofValue;
  return message === undefined ? fault : { ...fault, message };
}

/** A parameter that may be given once or repeatedly, as a list. */
export function textList(asked: string | string[] | undefined): string[] {
  return asked === undefined ? [] : typeof asked === 'string' ? [asked] : asked;
}

function wantedColumns(fields: ReadonlyMap<string, Field>, asked: readonly string[], faults: Fault[]): string[] {
  const names = asked.flatMap((text) => (fields.has(text) ? [text] : text.split(',')));
  const seen = new Set<string>();
  for (const [at, name] of names.entries()) {
    if (!fields.has(name)) faults.push({ pointer: `/query/columns/${at}`, code: 'unknown_column' });
    else if (seen.has(name)) faults.push({ pointer: `/query/columns/${at}`, code: 'repeated_column' });
    seen.add(name);
  }
  return names;
}

function wantedOrder(fields: ReadonlyMap<string, Field>, text: string): ReadOrder | string {
  const descending = !fields.has(text) && text.startsWith('-');
  const field = fields.get(descending ? text.slice(1) : text);
  if (field === undefined) return 'unknown_column';
  return isOrdered(field.type) ? { field, descending } : 'type_not_ordered';
}

/** `column:op` or `column:op:value`; of all ways to read it, the one with the shortest column that there is. */
function condition(fields: ReadonlyMap<string, Field>, text: string): Condition | string {
  let known = false;
  for (let colon = text.indexOf(':'); colon >= 0; colon = text.indexOf(':', colon + 1)) {
    const field = fields.get(text.slice(0, colon));
    if (field === undefined) continue;
    known = true;
    const [word = '', ...value] = text.slice(colon + 1).split(':');
    if (!isOp(word)) continue;
    const found = parseCondition(field, word, value.length === 0 ? undefined : value.join(':'));
    return typeof found === 'object' ? found : `${found}_not_of_type`;
  }
  return known ? 'unknown_operator' : 'unknown_column';
}

function isOp(word: string): word is ConditionOp {
  return (CONDITION_OPS as readonly string[]).includes(word);
}
