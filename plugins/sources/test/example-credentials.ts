import {
  createSource,
  detachCredentials,
  getCredentials,
  migrateCredentials,
  revokeCredential,
  rotateCredentials,
  setCredentials,
} from '@weir/plugin-sources/contract';
import { type Api, type ExampleCall, example, type Ids, type Tenancy } from '../../../test/examples.ts';
import { PEOPLE } from './example-sources.ts';
import { VAULTED_CONFIG, vaultedValues } from './vaulted-source.ts';

const values = { credential_values: vaultedValues('example') };

/** The routes at which `source_id` is that of a source with credentials. */
export const OF_CREDENTIALS = [
  getCredentials,
  setCredentials,
  rotateCredentials,
  detachCredentials,
  migrateCredentials,
];

/** Examples that get as far as the ids of their path. */
export const CREDENTIAL_CALLS: readonly ExampleCall[] = [
  example(setCredentials, { body: { ...values, credential_name: 'key' } }),
  example(rotateCredentials, { body: values }),
];

async function makeVaulted(api: Api, name: string, credentials: object): Promise<string> {
  const body = { name, pattern_id: 'vaulted', source_config: VAULTED_CONFIG, ...credentials };
  return (await api(createSource, { body })).source_id;
}

/** A source whose credential stays in the database, for the route that moves it. */
export const seedInline = async (api: Api): Promise<Ids> => ({
  inline_id: await makeVaulted(api, 'migrated', values),
});

/** A second source; where there is a secret store, its credential lies there. */
export async function furnishCredential({ api, tenant, isVaulted }: Tenancy): Promise<Ids> {
  if (!isVaulted) {
    await api(createSource, { body: { name: 'second', pattern_id: 'files', source_config: PEOPLE } });
    return { credential_ref: `cred_${(tenant === 'acme' ? 'b' : 'c').repeat(26)}` };
  }
  const own = { credential_values: vaultedValues(tenant), credential_name: 'key' };
  const vaulted_id = await makeVaulted(api, 'vaulted', own);
  const { credential_ref } = await api(getCredentials, { params: { source_id: vaulted_id } });
  return { vaulted_id, credential_ref };
}

/** Makes a source for each route of credentials; `inline_id` is one of `seedInline`. */
export async function seedCredentials(api: Api, inline_id: string): Promise<ExampleCall[]> {
  const attached = async (name: string) => ({
    source_id: await makeVaulted(api, name, { ...values, credential_name: name }),
  });
  const detached = async (name: string) => {
    const params = await attached(name);
    const { credential_ref } = await api(getCredentials, { params });
    await api(detachCredentials, { params });
    return { params, credential_ref };
  };
  return [
    example(setCredentials, {
      params: (await detached('given')).params,
      body: { ...values, credential_name: 'given_again' },
    }),
    example(rotateCredentials, { params: await attached('rotated'), body: values }),
    { of: detachCredentials, params: await attached('taken') },
    example(migrateCredentials, { params: { source_id: inline_id }, body: { credential_name: 'moved' } }),
    { of: revokeCredential, params: { credential_ref: (await detached('revoked')).credential_ref } },
  ];
}
