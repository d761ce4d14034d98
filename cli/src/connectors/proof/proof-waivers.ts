import { type EngineWaiver, engineWaivers } from '@weir/connector-runtime';
import { CliError } from '../../cli-error.ts';

/** What engines of tests may be let off, in the words of a report. */
export const WAIVED: Readonly<Record<EngineWaiver, string>> = {
  limits: 'limits of memory, processes and CPU',
  rootful: 'an engine without root',
};

/** What an engine is let off, as the workers of a development platform are told; throws for those of an installation. */
export function proofWaivers(env: Readonly<Record<string, string | undefined>>): EngineWaiver[] {
  const { WEIR_ENGINE_WAIVERS: given = '', WEIR_MODE: mode } = env;
  const waivers = engineWaivers(given);
  if (waivers.length === 0 || mode === 'development') return waivers;
  throw new CliError('usage', 'WEIR_ENGINE_WAIVERS is for development alone.', {
    hint: 'Take it out: a proof of an installation lets its engine off nothing.',
  });
}
