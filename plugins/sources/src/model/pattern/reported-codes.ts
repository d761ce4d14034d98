import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Type } from '@sinclair/typebox';
import { CODE_PATTERN, type Fault, KIT_FAULTS } from '@weir/connector-sdk';
import { Closed, OneOf, type ProblemEntry } from '@weir/kernel/contract';
import { failurePages } from '@weir/work';
import { Ajv, type ValidateFunction } from 'ajv';

const FAULTS_FILE = 'faults.json';
const Text = Type.String({ minLength: 1, maxLength: 1_000 });

const FaultTable = Type.Record(
  Type.String({ pattern: CODE_PATTERN.source }),
  Closed({
    type: OneOf(['config_error', 'transient_error', 'system_error']),
    origin: OneOf(['source', 'destination', 'platform', 'config']),
    message: Text,
    hint: Text,
  }),
  { additionalProperties: false },
);

/** What one connector fails with, by code. */
export type FaultTable = Readonly<Record<string, Fault>>;

let compiled: ValidateFunction<FaultTable> | undefined;
/** Made once, when first asked for, as that of patterns. */
const validator = () =>
  (compiled ??= new Ajv({ allErrors: true, validateSchema: false }).compile<FaultTable>(FaultTable));

/** The codes in the `faults.json` beside a pattern; none without one. Throws an Error that lists what is wrong with it. */
export function readFaults(folder: string): FaultTable {
  const file = join(folder, FAULTS_FILE);
  if (!existsSync(file)) return {};
  const check = validator();
  const table: unknown = JSON.parse(readFileSync(file, 'utf8'));
  if (check(table)) return table;
  const faults = (check.errors ?? []).map(({ instancePath, message }) => `${instancePath || '/'} ${message}`);
  throw new Error(`${FAULTS_FILE}: ${faults.join('; ')}`);
}

/**
 * The codes of connectors, given by the ids of their patterns, and of the kit itself as catalogue entries. Connectors
 * may share a code: where they do not say the same of it, each is named before its words. Pure.
 */
export function reportedPages(tables: ReadonlyMap<string, FaultTable>): ProblemEntry[] {
  const byCode = new Map<string, { id: string; fault: Fault }[]>();
  for (const [id, table] of [['every connector', KIT_FAULTS] as const, ...tables]) {
    for (const [code, fault] of Object.entries(table)) byCode.set(code, [...(byCode.get(code) ?? []), { id, fault }]);
  }
  return [...byCode].flatMap(([code, told]) => {
    const words = (of: (fault: Fault) => string) => together(told.map(({ id, fault }) => [id, of(fault)] as const));
    const page = {
      origin: told[0]?.fault.origin ?? 'source',
      detail: words(({ message }) => `${message}.`),
      hint: words(({ hint }) => hint),
    };
    return Object.values(failurePages({ [code]: page })).map(({ entry }) => entry);
  });
}

function together(texts: readonly (readonly [id: string, text: string])[]): string {
  const same = new Map<string, string[]>();
  for (const [id, text] of texts) same.set(text, [...(same.get(text) ?? []), id]);
  if (same.size === 1) return texts[0]?.[1] ?? '';
  return [...same].map(([text, ids]) => `${ids.join(', ')}: ${text}`).join(' ');
}
