import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { MatchColumn } from '@weir/matcher';

const FIXTURES = path.join(import.meta.dirname, 'fixtures');
const CORE = path.resolve(import.meta.dirname, '../../plugins/schema-registry/libraries/core.json');
const NONE = '-';
/** The target that is one list of 736 columns. */
export const WIDE = 'wide';
/** Values of columns of `core` for pairs whose names say nothing. */
const SAMPLES: Record<string, Record<string, unknown[]>> = {
  Customer: {
    customer_id: ['K-1', 'K-2', 'K-3'],
    name: ['Müller & Söhne', 'ACME', 'Öztürk'],
    email: ['info@ms.example', 'a@oe.example'],
    phone: ['+49 30 1', '+90 1 22'],
    segment: ['retail', 'public', 'wholesale'],
    since: ['2010-01-01', '2019-02-03'],
    is_active: [true, false],
  },
  Product: {
    product_id: ['p-1', 'p-3'],
    sku: ['S-9', 'S-10'],
    gtin: ['4006381333931', '4006381333955'],
    name: ['Stabilo Boss', 'Edding 3000'],
    category: ['pens', 'ink'],
    brand: ['Stabilo', 'Edding'],
    weight_kg: [0.02, 0.4],
    is_available: [true, false],
  },
};

/** A source table, its target, and which target columns each source column means. */
export interface TablePair {
  number: number;
  target: string;
  how: string;
  sources: MatchColumn[];
  targets: MatchColumn[];
  /** Of each source column; empty for a column that the target lacks. */
  truth: string[][];
}

interface Targets {
  models: { name: string; columns?: MatchColumn[] }[];
  wide: MatchColumn[];
}

/** All pairs in order of their numbers. */
export async function readPairs(): Promise<TablePair[]> {
  const targets = await readTargets();
  const files = (await readdir(FIXTURES)).filter((name) => name.endsWith('.txt'));
  const texts = await Promise.all(files.map((name) => readFile(path.join(FIXTURES, name), 'utf8')));
  const pairs = texts.flatMap((text) => text.split(/^@ /m).slice(1)).map((text) => readPair(text, targets));
  return pairs.sort((a, b) => a.number - b.number);
}

function readPair(text: string, targets: ReadonlyMap<string, MatchColumn[]>): TablePair {
  const [head = '', ...lines] = text.trim().split('\n');
  const [number, target = '', ...how] = head.split(' ');
  const rows = lines.map((line) => line.split(';').map((cell) => cell.trim()));
  const columns = targets.get(target) ?? [];
  const samples = how.includes('samples') ? SAMPLES[target.replace('core/', '')] : undefined;
  return {
    number: Number(number),
    target,
    how: how.at(-1) ?? '',
    sources: rows.map(([name = '', type = '', values = '']) => ({ name, type, values: values.split('|') })),
    targets: samples ? columns.map((column) => ({ ...column, values: samples[column.name] ?? [] })) : columns,
    truth: rows.map(([, , , right = '']) => right.split(',').filter((name) => name !== NONE)),
  };
}

async function readTargets(): Promise<Map<string, MatchColumn[]>> {
  const { models, wide } = JSON.parse(await readFile(path.join(FIXTURES, 'targets.json'), 'utf8')) as Targets;
  const core = JSON.parse(await readFile(CORE, 'utf8')) as { schemas: { name: string; json_schema: JsonSchema }[] };
  return new Map([
    [WIDE, wide],
    ...models.map(({ name, columns = [] }) => [name, columns] as const),
    ...core.schemas.map(({ name, json_schema }) => [`core/${name}`, columnsOf(json_schema)] as const),
  ]);
}

interface JsonSchema {
  properties: Record<string, { type: string; format?: string; enum?: unknown[] }>;
}

const TIMES: Record<string, string> = { date: 'date', 'date-time': 'timestamp' };

function columnsOf({ properties }: JsonSchema): MatchColumn[] {
  return Object.entries(properties).map(([name, { type, format = '', enum: values = [] }]) => ({
    name,
    type: TIMES[format] ?? type,
    values,
  }));
}
