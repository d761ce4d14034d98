import { lstat } from 'node:fs/promises';
import { getSource } from '@weir/plugin-sources/contract';
import { CliError } from '../cli-error.ts';
import type { CliContext } from '../command.ts';
import type { Api } from '../connection/api.ts';
import { sourceId } from '../source-id.ts';
import { ENGINE_ROLES, ROLE_VARIABLES, type RolePlace } from './engine-role.ts';
import { provePollers, type WorkersPlace } from './prove-pollers.ts';
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
  const workers = async ({ role, workspaceRoot }: RolePlace): Promise<WorkersPlace> => {
    const { uid } = await lstat(workspaceRoot);
    return { role, uid };
  };
  return sourceProof({
    ...given,
    id: await knownSource(given.api, given.source),
    containers: { source: runContainers(source.socketPath), discovery: runContainers(discovery.socketPath) },
    async pollers(when) {
      const roles = ENGINE_ROLES.map(async (role) => provePollers(context, await workers(placeOf(role)), when));
      return (await Promise.all(roles)).flat();
    },
  });
}

async function knownSource(api: Api, given: string): Promise<string> {
  const id = await sourceId(api, given);
  await api.call(getSource, { params: { source_id: id } }).catch((error: unknown) => {
    if (!(error instanceof CliError) || error.exit !== 'notFound') throw error;
    const hint = 'weir sources list shows names and ids.';
    throw new CliError('notFound', `There is no source ${given}.`, { code: 'not_found', hint, cause: error });
  });
  return id;
}
