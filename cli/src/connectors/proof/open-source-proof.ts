import { lstat } from 'node:fs/promises';
import { CliError } from '../../cli-error.ts';
import type { CliContext } from '../../command/command.ts';
import { knownSourceId } from '../../command/source-id.ts';
import { ROLE_VARIABLES, type RolePlace } from '../engine/engine-role.ts';
import { provePollers } from './prove-pollers.ts';
import { type SourceProof, type SourceProofDeps, sourceProof } from './prove-source.ts';
import { runContainers } from './run-containers.ts';

type Given = Pick<SourceProofDeps, 'api' | 'source' | 'watching' | 'say'> & {
  context: CliContext;
  places: readonly RolePlace[];
};

/** The proof through a source with the engines of both roles; throws when only one is known, or no such source is. */
export async function openSourceProof({ context, places, ...given }: Given): Promise<SourceProof> {
  const placeOf = (role: RolePlace['role']): RolePlace => {
    const place = places.find((one) => one.role === role);
    if (place !== undefined) return place;
    const { socketDir, workspace } = ROLE_VARIABLES[role];
    throw new CliError('usage', `A source needs the workers of both roles; ${role} is not configured here.`, {
      hint: `Set ${socketDir} and ${workspace} as its worker has them.`,
    });
  };
  const [source, discovery] = [placeOf('source'), placeOf('discovery')];
  return sourceProof({
    ...given,
    id: await knownSourceId(given.api, given.source),
    containers: { source: runContainers(source.socketPath), discovery: runContainers(discovery.socketPath) },
    async pollers(when) {
      const roles = [source, discovery].map(async ({ role, workspaceRoot }) => {
        const { uid } = await lstat(workspaceRoot);
        return provePollers(context, { role, uid }, when);
      });
      return (await Promise.all(roles)).flat();
    },
  });
}
