import { createHash } from 'node:crypto';
import { Refusal } from '../config/refusal.ts';
import type { PlatformSql } from './open-database.ts';

/** A migration as the release knows it. */
export interface MigrationRecord {
  name: string;
  after: string | undefined;
  sql: string;
}

/** A row of the ledger in the database. */
export interface LedgerRow {
  name: string;
  after: string | null;
  sha256: string;
}

export type HeadVerdict =
  | { ok: true }
  | { ok: false; fault: 'no_ledger' | 'two_heads' | 'missing' | 'edited' | 'ahead' | 'behind'; line: string };

/**
 * Compares the database's ledger with the release's list. Pure. They must be equal, step by step and hash by hash:
 * a start on any other schema is a start on guesses.
 */
export function compareHead(ledger: readonly LedgerRow[] | undefined, list: readonly MigrationRecord[]): HeadVerdict {
  const refuse = (fault: Exclude<HeadVerdict, { ok: true }>['fault'], line: string): HeadVerdict => ({
    ok: false,
    fault,
    line,
  });
  const split = doubledAfter(list) ?? doubledAfter(ledger ?? []);
  if (split !== undefined) return refuse('two_heads', `two migrations follow ${split}: the history has two heads`);
  if (ledger === undefined) return refuse('no_ledger', 'the database has no schema ledger: run weir migrate');
  const known = new Map(list.map((step) => [step.name, step]));
  for (const row of ledger) {
    const step = known.get(row.name);
    if (step !== undefined && hashOf(step) !== row.sha256) {
      return refuse('edited', `${row.name} was edited: the database applied another text than this release holds`);
    }
  }
  const applied = new Set(ledger.map((row) => row.name));
  const lastKnown = list.findLastIndex((step) => applied.has(step.name));
  const gap = list.slice(0, lastKnown).find((step) => !applied.has(step.name));
  if (gap !== undefined)
    return refuse('missing', `${gap.name} is missing from the database although later ones are there`);
  const unknown = ledger.find((row) => !known.has(row.name));
  if (unknown !== undefined) {
    return refuse(
      'ahead',
      `the database is ahead: it has ${unknown.name}, this release ends at ${list.at(-1)?.name ?? 'nothing'}`,
    );
  }
  if (ledger.length < list.length) {
    const head = ledger.at(-1)?.name ?? 'nothing';
    return refuse(
      'behind',
      `the database is behind: it ends at ${head}, this release needs ${list.at(-1)?.name}: run weir migrate`,
    );
  }
  return { ok: true };
}

/** Reads the ledger and throws a `Refusal` unless it is exactly the release's list. */
export async function checkHead(sql: PlatformSql, list: readonly MigrationRecord[]): Promise<void> {
  const { rows } = await sql(`select to_regclass('kernel.schema_ledger') is not null as there`, []);
  const ledger =
    rows[0]?.there === true
      ? (await sql('select name, after, sha256 from kernel.schema_ledger order by ordinal', [])).rows
      : undefined;
  const verdict = compareHead(ledger as LedgerRow[] | undefined, list);
  if (!verdict.ok) throw new Refusal(`schema ${verdict.fault}`, [verdict.line]);
}

function hashOf({ sql }: MigrationRecord): string {
  return createHash('sha256').update(sql).digest('hex');
}

function doubledAfter(steps: readonly { after?: string | null | undefined }[]): string | undefined {
  const seen = new Set<string>();
  for (const { after } of steps) {
    const key = after ?? 'nothing';
    if (seen.has(key)) return key;
    seen.add(key);
  }
  return undefined;
}
