import { drives } from './api.ts';
import type { Life } from './source-life.ts';

const LEGACY_REFUSAL = [409];

/** Rotation and all that goes with a credential, as the mode of the deployment has it. */
export async function credentialLife(life: Life, id: string): Promise<void> {
  await (life.mode === 'secret_store' ? inStore(life, id) : inline(life, id));
}

/** Inline, a credential has no life of its own: it is changed with its source. */
async function inline({ proof, pattern, branch, name }: Life, id: string): Promise<void> {
  const { must } = drives(proof, name);
  const source = { path: `/sources/${id}`, label: '/sources/{id}' };
  await must([200], { method: 'PATCH', ...source, body: { credential_values: pattern.plant(branch).secret } });
  await must([200], { method: 'PATCH', ...source, body: { source_config: pattern.plant(branch).whole } });
  const credentials = { path: `/sources/${id}/credentials`, label: '/sources/{id}/credentials' };
  const values = { credential_values: pattern.plant(branch).secret };
  await must(LEGACY_REFUSAL, { method: 'GET', ...credentials });
  await must(LEGACY_REFUSAL, { method: 'POST', ...credentials, body: { ...values, credential_name: name } });
  await must(LEGACY_REFUSAL, { method: 'PUT', ...credentials, body: values });
  await must(LEGACY_REFUSAL, { method: 'DELETE', ...credentials });
  const migrate = { path: `${credentials.path}/migrate`, label: '/sources/{id}/credentials/migrate', body: {} };
  await must(LEGACY_REFUSAL, { method: 'POST', ...migrate });
}

/** In the store: read, rotate, detach, attach again by its reference, refuse to revoke, and revoke. */
async function inStore({ proof, pattern, branch, name }: Life, id: string): Promise<void> {
  const { must } = drives(proof, name);
  const credentials = { path: `/sources/${id}/credentials`, label: '/sources/{id}/credentials' };
  const { body } = await must([200], { method: 'GET', ...credentials });
  const ref = String(body.credential_ref ?? '');
  for (let round = 0; round < 2; round += 1)
    await must([200], { method: 'PUT', ...credentials, body: { credential_values: pattern.plant(branch).secret } });
  const revoke = { path: `/sources/credentials/${ref}/revoke`, label: '/sources/credentials/{ref}/revoke' };
  await must([409], { method: 'POST', ...revoke });
  await must([404], { method: 'POST', ...revoke, who: 'foreign' });
  await must([403], { method: 'POST', ...revoke, who: 'editor' });
  await must([204], { method: 'DELETE', ...credentials });
  await must([201], { method: 'POST', ...credentials, body: { credential_ref: ref } });
  await must([204], { method: 'DELETE', ...credentials });
  await must([200], { method: 'POST', ...revoke });
  const fresh = { credential_values: pattern.plant(branch).secret, credential_name: `${name}-again` };
  await must([201], { method: 'POST', ...credentials, body: fresh });
}
