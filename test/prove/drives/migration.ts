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
    await must([201], { method: 'POST', path: '/sources', body });
  }
  await platform.stopPrograms();
}

/** Moves each of them into the store; a second time there is nothing to move. */
export async function migrateLegacy(proof: Proof): Promise<void> {
  const { must } = drives(proof, 'migration');
  for (const [at, { source_id: id }] of (await proof.platform.sql(SEALED)).entries()) {
    const migrate = { path: `/sources/${String(id)}/credentials/migrate`, label: '/sources/{id}/credentials/migrate' };
    const body = { credential_name: `migrated-${at}` };
    await must([403], { method: 'POST', ...migrate, body, who: 'editor' });
    await must([404], { method: 'POST', ...migrate, body, who: 'foreign' });
    await must([200], { method: 'POST', ...migrate, body });
    await must([409], { method: 'POST', ...migrate, body });
    const credentials = { path: `/sources/${String(id)}/credentials`, label: '/sources/{id}/credentials' };
    await must([200], { method: 'GET', ...credentials });
  }
}
