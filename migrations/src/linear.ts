import { type Migration, migrationHash } from './migration.ts';

/** A step as a ledger remembers it. */
export interface AppliedStep {
  name: string;
  sha256: string;
  additive_since?: string | null;
}

/** What keeps a list from being one line, and steps from being additive for one of those before them. Pure. */
export function checkLinear(list: readonly Migration[]): string[] {
  return list.flatMap(({ name, after, additiveSince }, at) => {
    const before = list[at - 1]?.name;
    if (after !== before) return [`${name} must come after ${before ?? 'nothing'}, not ${after ?? 'nothing'}`];
    const isEarlier = additiveSince === undefined || list.slice(0, at).some((step) => step.name === additiveSince);
    return isEarlier ? [] : [`${name} is additive since ${additiveSince}, which is no step before it`];
  });
}

/** What keeps a ledger from being a beginning of a list, or the list from being one that the ledger only adds to. Pure. */
export function checkBeginning(applied: readonly AppliedStep[], list: readonly Migration[]): string[] {
  return applied.flatMap(({ name, sha256 }, at) => {
    const step = list[at];
    if (step === undefined && isAdditive(applied, at, list.length - 1)) return [];
    if (step === undefined) return [`the database is ahead: it has ${name}, which this release does not know`];
    if (step.name !== name) return [`the database has ${name} where this release has ${step.name}`];
    return migrationHash(step) === sha256 ? [] : [`${name} was edited after it had been applied`];
  });
}

function isAdditive(applied: readonly AppliedStep[], at: number, headAt: number): boolean {
  const since = applied.findIndex(({ name }) => name === applied[at]?.additive_since);
  return since >= 0 && since <= headAt;
}

/** The columns of a ledger; one that is older than the last of them is read too. */
export const LEDGER_COLUMNS = `name, sha256, to_jsonb(ledger) ->> 'additive_since' as additive_since`;
