import { signBody } from '../../plugins/sources/src/model/pattern/webhook-signature.ts';

/** The secrets of the two routes that take a signature in the place of a token. */
export interface WebhookSecrets {
  PATTERN_WEBHOOK_SECRET: string;
  PATTERN_ADMIN_SECRET: string;
}

const pattern = {
  ...{ id: 'fuzzed', version: '1.0.0', display: { name: 'Fuzzed' }, image: 'x/fuzzed:1.0.0', protocol: 'airbyte' },
  ...{ source_name: 'source-fuzzed', spec: { type: 'object' } },
};

/** Asks the routes once that no fuzzer can sign for, and answers by which status each was answered. */
export async function askSigned(url: string, secrets: WebhookSecrets): Promise<Map<string, string>> {
  const ask = async (path: string, secret: string, body: object) => {
    const text = JSON.stringify(body);
    const headers = { 'content-type': 'application/json', ...signBody(secret, text, new Date()) };
    const { status } = await fetch(new URL(path, url), { method: 'POST', body: text, headers });
    return [`POST ${path.replace(/\?.*/, '')}`, String(status)] as const;
  };
  return new Map([
    await ask('/api/v1/patterns/register', secrets.PATTERN_WEBHOOK_SECRET, { pattern }),
    await ask('/api/v1/patterns/reconcile?dry_run=true', secrets.PATTERN_ADMIN_SECRET, { patterns: [pattern] }),
  ]);
}
