import { Refusal, type Secret } from '@weir/kernel';
import type { SignatureReader } from '@weir/kernel/contract';
import { reconcilePatterns, registerPattern } from '../contract/source/patterns.ts';
import { sourceProblems } from '../contract.ts';
import { goodSignature, SIGNED_FOR_MS } from '../model/pattern/webhook-signature.ts';
import type { Sql } from '../service/pattern/catalog.ts';

/** The secrets of the two routes; a route whose secret is not set is closed. */
export interface WebhookSecrets {
  PATTERN_WEBHOOK_SECRET?: Secret;
  PATTERN_ADMIN_SECRET?: Secret;
}

/** Throws `Refusal` when one secret would open both routes. */
export function refuseSameSecrets({ PATTERN_WEBHOOK_SECRET: one, PATTERN_ADMIN_SECRET: other }: WebhookSecrets): void {
  if (one === undefined || other === undefined || one.reveal() !== other.reveal()) return;
  throw new Refusal('configuration refused', ['PATTERN_WEBHOOK_SECRET and PATTERN_ADMIN_SECRET must differ']);
}

/** What reads the signatures of both routes. */
export function patternWebhooks(secrets: WebhookSecrets, sql: Sql, now = () => new Date()): SignatureReader[] {
  return [
    { endpoint: registerPattern, name: 'PATTERN_WEBHOOK_SECRET' as const },
    { endpoint: reconcilePatterns, name: 'PATTERN_ADMIN_SECRET' as const },
  ].map(({ endpoint, name }) => ({
    permission: 'permission' in endpoint.access ? endpoint.access.permission : '',
    async read(call) {
      const secret = secrets[name];
      if (secret === undefined) throw sourceProblems.patternRegistrationClosed();
      const signature = goodSignature(call, secret.reveal(), now());
      if (signature === undefined) throw sourceProblems.webhookUnauthenticated();
      await noteOnce(sql, signature);
      return { kind: 'webhook', subject: name, client: 'webhook' };
    },
  }));
}

/** Throws `webhook_repeated` for a signature that was seen before; none is remembered longer than it is good. */
async function noteOnce(sql: Sql, signature: string): Promise<void> {
  await sql(`delete from sources.webhook_call where received_at < now() - make_interval(secs => $1)`, [
    (3 * SIGNED_FOR_MS) / 1_000,
  ]);
  const { rows } = await sql(
    'insert into sources.webhook_call (signature, received_at) values ($1, now()) on conflict do nothing returning 1',
    [signature],
  );
  if (rows.length === 0) throw sourceProblems.webhookRepeated();
}
