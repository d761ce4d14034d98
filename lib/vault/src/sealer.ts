import type { SecretValues } from './secret-values.ts';

/** Whose values are sealed and what for; a sealed text opens in this place alone. */
export interface SealPlace {
  readonly tenantId: string;
  readonly subjectId: string;
  readonly purpose: 'source' | 'discovery' | 'rotation' | 'webhook';
}

/** Seals credentials that lie in our own database. */
export interface Sealer {
  /** Name of the key that seals now: the beginning of the SHA-256 of the key, so that a file needs no name in it. */
  readonly kid: string;
  /** Names of all keys that open: the present one, then the previous one while keys are changed. */
  readonly kids: readonly string[];
  /** Seals with the present key; two seals of the same values differ. */
  seal(values: SecretValues, place: SealPlace): string;
  /** `seal_broken` for a changed text or another place, `seal_key_unknown` for a key that is not here. */
  open(sealed: string, place: SealPlace): SecretValues;
  /** The same values under the present key; undefined when they are already. Fails as `open` does. */
  reseal(sealed: string, place: SealPlace): string | undefined;
  /** Name of the key under which a text was sealed; `seal_broken` when it is none of ours. */
  kidOf(sealed: string): string;
}
