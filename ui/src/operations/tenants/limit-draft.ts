import type { TenantLimitsView } from '@weir/plugin-platform/contract';
import { bytesText, countText } from '../../parts/numbers.ts';

export const LIMITS = ['runs_per_day', 'concurrent_runs', 'storage_bytes'] as const;
export type LimitName = (typeof LIMITS)[number];

/** What each limit bounds, and in which unit a person gives it. */
export const LIMIT_WORDS: Readonly<Record<LimitName, { label: string; unit: string }>> = {
  runs_per_day: { label: 'Runs started today', unit: 'runs in a day of UTC' },
  concurrent_runs: { label: 'Open runs', unit: 'runs at once' },
  storage_bytes: { label: 'Size of its tables', unit: 'GiB' },
};

const GIB = 1_024 ** 3;
const inUnit = (name: LimitName) => (name === 'storage_bytes' ? GIB : 1);
const text = (name: LimitName, value: number) => (name === 'storage_bytes' ? bytesText(value) : countText(value));

/** What is used of a limit: `12 of 500`, or `12, no limit`. */
export function usedText(name: LimitName, { used, effective }: Pick<TenantLimitsView, 'used' | 'effective'>): string {
  const uses = { runs_per_day: used.runs_today, concurrent_runs: used.open_runs, storage_bytes: used.storage_bytes };
  const limit = effective[name];
  return limit === null ? `${text(name, uses[name])}, no limit` : `${text(name, uses[name])} of ${text(name, limit)}`;
}

/** Whether no further run would start by this limit. */
export function isReached(name: LimitName, { used, effective }: Pick<TenantLimitsView, 'used' | 'effective'>): boolean {
  const uses = { runs_per_day: used.runs_today, concurrent_runs: used.open_runs, storage_bytes: used.storage_bytes };
  const limit = effective[name];
  return limit !== null && uses[name] >= limit;
}

/** How a limit was chosen, with its number in the unit of a person. */
export interface LimitDraft {
  how: 'default' | 'none' | 'number';
  value: number | string;
}

export function draftOf(name: LimitName, chosen: number | null): LimitDraft {
  if (chosen === null) return { how: 'default', value: '' };
  return chosen === 0 ? { how: 'none', value: '' } : { how: 'number', value: chosen / inUnit(name) };
}

/** As the API takes it: null follows the default, 0 lifts it; undefined for a text that cannot be a limit. */
export function limitOf(name: LimitName, { how, value }: LimitDraft): number | null | undefined {
  if (how !== 'number') return how === 'default' ? null : 0;
  const limit = Math.round(Number(value) * inUnit(name));
  return value !== '' && Number.isSafeInteger(limit) && limit > 0 ? limit : undefined;
}
