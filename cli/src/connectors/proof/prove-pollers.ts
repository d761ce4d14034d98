import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { CliContext } from '../../command/command.ts';
import { askProgram } from '../../command/program.ts';
import type { EngineRole } from '../engine/engine-role.ts';
import { fact, type ProvedFact } from './proved-fact.ts';

/** Where the workers of a role say that they live, and as whom they run. */
export interface WorkersPlace {
  role: EngineRole;
  /** The user of the worker, whose folder is looked into when no other is named or made by a unit. */
  uid: number;
}

interface Finding {
  check: string;
  outcome: 'ok' | 'diagnostic' | 'failed';
  detail: string;
}

/** Where workers say that they live by the units that come with a release: a folder for each role. */
export const UNIT_STATES = '/run/weir-workers';
const PROBE = 'workers/src/health.ts';
const SIDES = ['workflow', 'activity'] as const;

/**
 * Whether the workers of a role poll its queue for workflows and for activities, as the probe of workers judges it: by their
 * own identity, at the workflow engine that the environment names. What that cannot tell is unknown.
 */
export async function provePollers(context: CliContext, place: WorkersPlace, when: string) {
  const { role } = place;
  const folder = stateFolder(place, context.env.WEIR_STATE_DIR);
  const env = { ...context.env, WEIR_STATE_DIR: folder };
  const { stdout, stderr } = await askProgram({ ...context, env }, PROBE, ['--roles', role]);
  const findings = findingsOf(stdout);
  const unseen = findings.find(({ outcome }) => outcome === 'failed')?.detail ?? stderr.trim().split('\n')[0] ?? '';
  return SIDES.map((side): ProvedFact => {
    const words = `a worker polls for ${side === 'workflow' ? 'workflows' : 'activities'} ${when}`;
    const polls = findings.filter(({ check }) => check === `${side}_poller`);
    const isKnown = polls.length > 0 && polls.every(({ outcome }) => outcome !== 'diagnostic');
    const isPolling = polls.every(({ outcome }) => outcome === 'ok');
    const found = polls.length > 0 ? polls.map(({ detail }) => detail).join('; ') : `${unseen} (${folder})`;
    return fact(role, words, isKnown ? isPolling : 'unknown', found);
  });
}

/** The folder that is named may be of the workers of all roles, or hold one for each. */
function stateFolder({ role, uid }: WorkersPlace, named: string | undefined): string {
  const ofRole = path.join(named ?? UNIT_STATES, role);
  return existsSync(ofRole) ? ofRole : (named ?? path.join(tmpdir(), `weir-state-${uid}`));
}

/** What the probe has found; nothing when it could not look. */
function findingsOf(text: string): Finding[] {
  try {
    return (JSON.parse(text) as { findings: Finding[] }).findings;
  } catch {
    return [];
  }
}
