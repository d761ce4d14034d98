import { isCredential, isSchema, type Schema } from '@weir/json-schemas';
import type { PatternParamsView } from '../../contract/suggest.ts';
import { timeColumns } from './columns.ts';

type Param = PatternParamsView['per_param'][number];

export interface ParamAsk {
  schema: Schema;
  given: Readonly<Record<string, unknown>>;
  datasets: readonly { dataset_id: string; columns: readonly { name: string; type: string }[] }[];
  description: string;
  /** Names of members that hold credentials. */
  credentials: ReadonlySet<string>;
}

/** Parameters of a pattern, and where each comes from. What has to be guessed without a sign is left out. */
export function fillParams({ schema, given, datasets, description, credentials }: ParamAsk): Param[] {
  const members = isSchema(schema.properties) ? schema.properties : {};
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const free = [...datasets];
  const columns = datasets.flatMap((one) => one.columns);
  return Object.entries(members).flatMap(([name, node]): Param[] => {
    if (!isSchema(node) || isCredential(node) || credentials.has(name)) return [];
    if (given[name] !== undefined) return [{ name, value: given[name], confidence: 1, origin: 'given' }];
    const isNeeded = required.has(name);
    if (node.format === 'dataset') {
      const dataset = isNeeded ? free.shift() : undefined;
      return dataset === undefined ? [] : [{ name, value: dataset.dataset_id, confidence: 0.9, origin: 'dataset' }];
    }
    if (node.default !== undefined) return [{ name, value: node.default, confidence: 0.8, origin: 'default' }];
    if (!isNeeded) return [];
    const [only] = Array.isArray(node.enum) && node.enum.length === 1 ? node.enum : [node.const];
    if (only !== undefined) return [{ name, value: only, confidence: 1, origin: 'default' }];
    const value = columnsFor(name, node, columns);
    if (value !== undefined) return [{ name, value, confidence: 0.6, origin: 'columns' }];
    const address = node.format === 'uri' ? /https?:\/\/[^\s"'<>]+/.exec(description)?.[0] : undefined;
    return address === undefined ? [] : [{ name, value: address, confidence: 0.7, origin: 'description' }];
  });
}

const isTimed = (name: string): boolean => /order|time|date|cursor|valid|updated/.test(name);
const isKey = (name: string): boolean => /key|^ids?$/.test(name);

/** The one column that a parameter can mean by its name, in the form that its schema asks for. */
function columnsFor(name: string, node: Schema, columns: readonly { name: string; type: string }[]): unknown {
  const one = isTimed(name) ? onlyTime(columns) : isKey(name) ? keyColumn(columns) : undefined;
  if (one === undefined) return undefined;
  if (node.format === 'column') return one;
  const items = isSchema(node.items) ? node.items : {};
  if (items.format === 'column') return [one];
  const inner = isSchema(items.properties) ? items.properties : {};
  return isSchema(inner.column) && inner.column.format === 'column' ? [{ column: one }] : undefined;
}

function onlyTime(columns: readonly { name: string; type: string }[]): string | undefined {
  const times = timeColumns(columns);
  const updated = times.filter(({ name }) => /updated|changed|modified/i.test(name));
  return (updated.length === 1 ? updated : times.length === 1 ? times : [])[0]?.name;
}

const keyColumn = (columns: readonly { name: string }[]): string | undefined =>
  (
    columns.find(({ name }) => /^(id|key|uuid)$/i.test(name)) ??
    onlyOf(columns.filter(({ name }) => /_(id|key|no)$/i.test(name)))
  )?.name;

const onlyOf = <T>(items: readonly T[]): T | undefined => (items.length === 1 ? items[0] : undefined);
