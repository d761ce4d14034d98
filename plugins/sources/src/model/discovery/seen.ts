import { createHash } from 'node:crypto';
import { canonicalSha256 } from '@weir/kernel';

/** What of a source decides what a discovery of it finds. */
export interface SeenConfig {
  patternVersion: string;
  /** Without credentials. */
  sourceConfig: Readonly<Record<string, unknown>>;
}

/** Tells two configurations apart, whatever the order of their members. Pure. */
export function configFingerprint({ patternVersion, sourceConfig }: SeenConfig): string {
  return canonicalSha256({ patternVersion, sourceConfig });
}

interface Held {
  sealed?: string | null | undefined;
  credential?: { credentialId: string; version: number } | undefined;
}

/** Tells two versions of credentials apart without their values: by the version in the store, or by the sealed text. Pure. */
export function credentialTag({ sealed, credential }: Held): string {
  if (credential !== undefined) return `${credential.credentialId}@${credential.version}`;
  return sealed ? createHash('sha256').update(sealed).digest('hex') : 'none';
}
