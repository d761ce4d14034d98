import { pointerMatcher } from '../config/walk-config.ts';
import type { Pattern } from './pattern-file.ts';

/** How a pattern comes in: with the deployment, one by one, or as the whole set. */
export type PatternOrigin = 'file' | 'register' | 'reconcile';

/** A pattern as it stands: which version is in force, and what that says. */
export interface StandingPattern {
  pattern: Pattern;
  sha256: string;
  status: 'active' | 'retired';
}

/** A pattern that is given, and what is known of its very version; undefined when that is new. */
export interface GivenPattern {
  pattern: Pattern;
  sha256: string;
  /** The hash under which this version is kept. */
  kept: string | undefined;
}

/** What becomes of a pattern, or why it cannot be taken. */
export type PatternPlan =
  | { outcome: 'created' | 'updated' | 'unchanged' }
  | { refused: 'version_taken' }
  | { refused: 'credential_fields_removed'; fields: string[] };

/**
 * Decides what becomes of a pattern that is given. A version is one document for ever, but for `replaces`: a file that is
 * being worked on. A file is older than what was registered since, so it brings newer versions only, and what was retired
 * stays so. A version in which a field is no credential any more must say so, or its value would come to light. Pure.
 */
export function planPattern(
  standing: StandingPattern | undefined,
  { pattern, sha256, kept }: GivenPattern,
  { origin, replaces }: { origin: PatternOrigin; replaces: boolean },
): PatternPlan {
  const isOther = kept !== undefined && kept !== sha256;
  if (isOther && !(replaces && origin === 'file')) return { refused: 'version_taken' };
  if (standing === undefined) return { outcome: 'created' };
  const order = compareVersions(pattern.version, standing.pattern.version);
  const isSame = order === 0 && sha256 === standing.sha256;
  if (isSame && (origin === 'file' || standing.status === 'active')) return { outcome: 'unchanged' };
  if (origin === 'file' && order < 0) return { outcome: 'unchanged' };
  // A version that was in force before holds nothing back: whatever came since runs on with what it has.
  const fields = kept === undefined || isOther ? removedFields(standing.pattern, pattern) : [];
  return fields.length > 0 ? { refused: 'credential_fields_removed', fields } : { outcome: 'updated' };
}

/** Credential fields of one version that are none in the next, and that the next does not say it removes. Pure. */
export function removedFields(before: Pattern, after: Pattern): string[] {
  const covered = pointerMatcher([...after.credentialFields, ...(after.removes_credential_fields ?? [])]);
  return before.credentialFields.filter((field) => !covered(field));
}

/** Less than zero when the first version is the earlier one; both are `x.y.z`. Pure. */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [one, other].map((version) => version.split('.').map(Number));
  for (let part = 0; part < 3; part += 1) {
    const difference = (a?.[part] ?? 0) - (b?.[part] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
