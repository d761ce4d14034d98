import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Teardown, testDatabase, testIssuer } from '@weir/kernel/testing';
import * as tools from '@weir/migrations';
import { createSource, detachCredentials, getCredentials } from '@weir/plugin-sources/contract';
import { VAULTED_CONFIG, VAULTED_PLATFORM, vaultedValues } from '../../plugins/sources/test/vaulted-source.ts';
import { apiProcess } from '../api-process.ts';
import { platformEnvironment } from '../platform.ts';
import { testMount } from '../secret-mount.ts';
import { answered, type Effort, type FuzzReport } from './fuzz-platform.ts';
import { runSchemathesis } from './run-schemathesis.ts';
import { type Api, apiOf } from './seed-sources.ts';
import type { Document } from './with-examples.ts';

const TENANT = 'acme';
const ROUTES = /credentials/;
const values = vaultedValues('fuzzed');

/** What each route of credentials may name so that it succeeds, and its body. */
type Examples = Record<string, { id: string; body?: object }>;

/** Lets Schemathesis loose on the routes of credentials where these lie in a secret store, with one source for each route. */
export async function fuzzCredentials(
  t: Teardown,
  folder: string,
  efforts: readonly Effort[],
  say: (line: string) => void = () => undefined,
): Promise<FuzzReport> {
  await mkdir(path.join(folder, 'warehouse'), { recursive: true });
  const [database, issuer, mount] = [await testDatabase(t, tools), await testIssuer(t), await testMount(t)];
  await database.tenant(TENANT);
  const keyFile = path.join(folder, 'credential-key');
  await writeFile(keyFile, randomBytes(32), { mode: 0o400 });
  const environment = {
    ...platformEnvironment({ database, issuer, folder }),
    ...{ WEIR_PLATFORM: VAULTED_PLATFORM, WEIR_CREDENTIAL_KEY_FILE: keyFile },
  };
  const token = await issuer.userToken({ subject: TENANT, organizations: [TENANT], roles: ['admin'] });
  const caller = (url: string): Api => apiOf({ url, token, tenant: TENANT });
  const inline = await apiProcess(t, environment);
  const migrated = await vaulted(caller(inline.url), 'migrated', {});
  const api = await apiProcess(t, { ...environment, ...mount.environment('api') });
  const examples = await seed(caller(api.url), migrated);
  const before = api.answers();
  const runs: FuzzReport['runs'] = [];
  for (const { roles, tenants: _tenants, ...effort } of efforts)
    for (const role of roles) {
      const own = await issuer.userToken({ subject: role, organizations: [TENANT], roles: [role] });
      const what = { configuration: configuration(own), tried: (document: Document) => tried(document, examples) };
      const run = await runSchemathesis({ url: api.url, folder, data: folder, ...what, ...effort });
      runs.push({ caller: `${role} with a secret store`, ...run });
      say(`${role} with a secret store: ${run.passed ? 'nothing found' : 'see below'}`);
    }
  const operations = (await answered(api, before)).filter(({ name }) => ROUTES.test(name));
  return { runs, operations };
}

async function vaulted(api: Api, name: string, named: { credential_name?: string }): Promise<string> {
  const credentials = { credential_values: values, ...named };
  const body = { name, pattern_id: 'vaulted', source_config: VAULTED_CONFIG, ...credentials };
  return (await api(createSource, { body })).source_id;
}

async function seed(api: Api, migrated: string): Promise<Examples> {
  const attached = (name: string) => vaulted(api, name, { credential_name: name });
  const detached = async (name: string) => {
    const params = { source_id: await attached(name) };
    const { credential_ref } = await api(getCredentials, { params });
    await api(detachCredentials, { params });
    return { ...params, credential_ref };
  };
  const at = '/api/v1/sources/{source_id}/credentials';
  const body = { credential_values: values };
  return {
    [`GET ${at}`]: { id: await attached('read') },
    [`POST ${at}`]: { id: (await detached('given')).source_id, body: { ...body, credential_name: 'given_anew' } },
    [`PUT ${at}`]: { id: await attached('rotated'), body },
    [`DELETE ${at}`]: { id: await attached('taken') },
    [`POST ${at}/migrate`]: { id: migrated, body: { credential_name: 'moved' } },
    'POST /api/v1/sources/credentials/{credential_ref}/revoke': { id: (await detached('revoked')).credential_ref },
  };
}

/** The routes of credentials alone, with what they may name. */
function tried(document: Document, examples: Examples): Document {
  const paths = Object.entries(structuredClone(document.paths)).filter(([route]) => ROUTES.test(route));
  for (const [route, operations] of paths)
    for (const [method, { parameters = [], requestBody }] of Object.entries(operations)) {
      const example = examples[`${method.toUpperCase()} ${route}`];
      for (const parameter of parameters) if (parameter.in === 'path') parameter.example = example?.id;
      for (const media of Object.values(requestBody?.content ?? {})) media.example = example?.body;
    }
  return { ...document, paths: Object.fromEntries(paths) };
}

const configuration = (token: string): string =>
  [
    `headers = { "X-Tenant-ID" = ${JSON.stringify(TENANT)} }`,
    '[auth.openapi.bearer]',
    `bearer = ${JSON.stringify(token)}`,
    '[phases.examples]',
    'fill-missing = true',
    '',
  ].join('\n');
