import type { Proof, ProofMode } from '../proof.ts';
import { drives } from './api.ts';
import { patternsWithCredentials } from './patterns.ts';

const LEFT = 'legacy-inline';
const SEALED = `select source_id from sources.source where name like '${LEFT}%' and status <> 'retired' order by name`;

/** Before the store is used there are sources whose credentials are inline, left by that mode or made now. */
export async function leaveLegacy(proof: Proof, mode: ProofMode): Promise<void> {
  const { platform } = proof;
  if (mode !== 'secret_store' || (await platform.sql(SEALED)).length > 0) return;
  await platform.start('legacy_inline', { api: {}, worker: {} });
  const { must } = drives(proof, 'left by legacy_inline');
  for (const pattern of await patternsWithCredentials(proof, 'legacy_inline')) {
    const body = { name: `${LEFT}-${pattern.id}`, pattern_id: pattern.id, source_config: pattern.plant(0).whole };
    const made = await must([201], { method: 'POST', path: '/sources', body });
    const source = { path: `/sources/${made.body.source_id}`, label: '/sources/{id}' };
    await must([200], { method: 'PATCH', ...source, body: { credential_values: pattern.plant(0).secret } });
  }
  await platform.stopPrograms();
}

const REFUSED = 78;

/**
 * Moves the first of them into the store by the API, a second time in vain, and the rest by the operator's program, all at
 * once. Then a process that keeps credentials inline must refuse to start.
 */
export async function migrateLegacy(proof: Proof): Promise<void> {
  const { platform, fault } = proof;
  const { must } = drives(proof, 'migration');
  const [first] = await platform.sql(SEALED);
  const credentials = `/sources/${String(first?.source_id)}/credentials`;
  const migrate = { path: `${credentials}/migrate`, label: '/sources/{id}/credentials/migrate' };
  const body = { credential_name: 'migrated' };
  await must([403], { method: 'POST', ...migrate, body, who: 'editor' });
  await must([404], { method: 'POST', ...migrate, body, who: 'foreign' });
  await must([200], { method: 'POST', ...migrate, body });
  await must([409], { method: 'POST', ...migrate, body });
  await must([200], { method: 'GET', path: credentials, label: '/sources/{id}/credentials' });
  for (const operation of ['credentials-migrate', 'credentials-check']) {
    const errand = { name: operation, script: 'workers/src/operator.ts', words: [operation] };
    const code = await platform.errand('secret_store', errand);
    if (code !== 0) fault(`the operator's ${operation} ended with ${code}`);
  }
  const old = { name: 'api-after-the-cutover', script: 'kernel/src/main.ts', words: [] };
  const code = await platform.errand('legacy_inline', old);
  if (code !== REFUSED) fault(`after the cutover a process of legacy_inline ended with ${code}, not ${REFUSED}`);
}
