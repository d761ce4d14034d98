import type { Kernel } from '@weir/kernel';
import { secretValues } from '@weir/vault';
import { webhookProblems } from '../contract.ts';

/** What a webhook keeps sealed: its address, which may hold a credential in its path, and the secret that signs. */
export interface Sealed {
  url: string;
  secret: string;
}

const FIELDS = { url: '/url', secret: '/secret' } as const;

/** Seals and opens what webhooks keep. Throws `webhook_key_missing` in a deployment without a key. */
export function webhookSeals({ vault }: Pick<Kernel, 'vault'>) {
  const placeOf = (tenantId: string, subjectId: string) => ({ tenantId, subjectId, purpose: 'webhook' }) as const;
  const sealer = () => {
    if (vault.sealer === undefined) throw webhookProblems.webhookKeyMissing();
    return vault.sealer;
  };
  return {
    seal: (tenantId: string, webhookId: string, { url, secret }: Sealed): string =>
      sealer().seal(
        secretValues([
          [FIELDS.url, url],
          [FIELDS.secret, secret],
        ]),
        placeOf(tenantId, webhookId),
      ),
    open(tenantId: string, webhookId: string, sealed: string): Sealed {
      const values = sealer().open(sealed, placeOf(tenantId, webhookId));
      const read = (name: string) => String(values.get(name)?.reveal());
      return { url: read(FIELDS.url), secret: read(FIELDS.secret) };
    },
    /** The same under the present key; undefined when it is already. */
    reseal: (tenantId: string, webhookId: string, sealed: string): string | undefined =>
      vault.sealer?.reseal(sealed, placeOf(tenantId, webhookId)),
  };
}

export type WebhookSeals = ReturnType<typeof webhookSeals>;
