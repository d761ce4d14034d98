import { createSource, detachCredentials, getCredentials } from '@weir/plugin-sources/contract';
import { VAULTED_CONFIG, vaultedValues } from '../../plugins/sources/test/vaulted-source.ts';
import type { Api } from './seed-sources.ts';

const values = vaultedValues('fuzzed');

/** What each route of credentials may name so that it succeeds, and its body. */
export type CredentialExamples = Readonly<Record<string, { params: Record<string, string>; body?: object }>>;

/** A source whose credential stays in the database, for the route that moves it; made before there is a secret store. */
export const seedInline = (api: Api): Promise<string> => vaulted(api, 'migrated', {});

async function vaulted(api: Api, name: string, named: { credential_name?: string }): Promise<string> {
  const credentials = { credential_values: values, ...named };
  const body = { name, pattern_id: 'vaulted', source_config: VAULTED_CONFIG, ...credentials };
  return (await api(createSource, { body })).source_id;
}

/** Makes a source for each route of credentials; `migrated` is one of `seedInline`. */
export async function seedCredentials(api: Api, migrated: string): Promise<CredentialExamples> {
  const attached = async (name: string) => ({ source_id: await vaulted(api, name, { credential_name: name }) });
  const detached = async (name: string) => {
    const params = await attached(name);
    const { credential_ref } = await api(getCredentials, { params });
    await api(detachCredentials, { params });
    return { params, revocable: { credential_ref } };
  };
  const at = '/api/v1/sources/{source_id}/credentials';
  const body = { credential_values: values };
  return {
    [`GET ${at}`]: { params: await attached('read') },
    [`POST ${at}`]: { params: (await detached('given')).params, body: { ...body, credential_name: 'given_anew' } },
    [`PUT ${at}`]: { params: await attached('rotated'), body },
    [`DELETE ${at}`]: { params: await attached('taken') },
    [`POST ${at}/migrate`]: { params: { source_id: migrated }, body: { credential_name: 'moved' } },
    'POST /api/v1/sources/credentials/{credential_ref}/revoke': { params: (await detached('revoked')).revocable },
  };
}
