import type { Kernel } from '@weir/kernel';
import { type HealthCheck, Problem } from '@weir/kernel/contract';
import type { Settings } from '../../settings.ts';
import type { LoadedPatterns } from './load-patterns.ts';
import { storePatterns } from './store-patterns.ts';

/**
 * Brings what the pattern files of this deployment say into the database; the same again changes nothing. A file that
 * cannot be taken leaves what is there, is logged and joins the faults; the others are taken.
 */
export async function storeFiles(kernel: Pick<Kernel, 'db' | 'mode' | 'log'>, loaded: LoadedPatterns): Promise<void> {
  for (const pattern of loaded.patterns.values()) {
    try {
      const given = { patterns: [pattern], origin: 'file' as const, pointerOf: () => '' };
      await storePatterns({ kernel }, given, { isWhole: false });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const reason = `${pattern.id} ${pattern.version}: ${error.code}`;
      loaded.faults.push({ file: pattern.id, reason });
      kernel.log.error(
        { pattern_id: pattern.id, version: pattern.version, reason: error.code },
        'connector pattern refused',
      );
    }
  }
}

/** The part of the platform that is down while a pattern file cannot be used; the operator may have it degrade only. */
export function patternFilesCheck(
  { WEIR_PATTERN_FAULTS: answer }: Pick<Settings, 'WEIR_PATTERN_FAULTS'>,
  { faults }: Pick<LoadedPatterns, 'faults'>,
): HealthCheck {
  const part = { name: 'pattern_files', check: async () => faults.length === 0 };
  return answer === 'tolerate' ? { ...part, degrades: true } : part;
}
