import { type Migration, migrationHash } from './migration.ts';

/** A step as a ledger remembers it. */
export interface AppliedStep {
  name: string;
  sha256: string;
}

/** What keeps a list from being one line: a step that names another one before it than the one that stands there. Pure. */
export function checkLinear(list: readonly Migration[]): string[] {
  return list.flatMap(({ name, after }, at) => {
    const before = list[at - 1]?.name;
    return after === before ? [] : [`${name} must come after ${before ?? 'nothing'}, not ${after ?? 'nothing'}`];
  });
}

/** What keeps a ledger from being a beginning of a list, step by step and hash by hash. Pure. */
export function checkBeginning(applied: readonly AppliedStep[], list: readonly Migration[]): string[] {
  return applied.flatMap(({ name, sha256 }, at) => {
    const step = list[at];
    if (step === undefined) return [`the database is ahead: it has ${name}, which this release does not know`];
    if (step.name !== name) return [`the database has ${name} where this release has ${step.name}`];
    return migrationHash(step) === sha256 ? [] : [`${name} was edited after it had been applied`];
  });
}
