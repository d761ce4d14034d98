import { getMe } from '@weir/plugin-identity/contract';
import { notSignedIn } from '../connection/not-signed-in.ts';
import { type SignedIn, signedIn } from '../connection/session.ts';
import { type TokenFacts, tokenFacts } from '../connection/token-facts.ts';
import type { WeirCommand } from './command.ts';

/** Whoever holds the token of a command. */
export interface Holder {
  facts: TokenFacts;
  /** What the API alone tells, where it was asked because the token says nothing of itself. */
  told?: { kind: string; capabilities?: string[] };
  connection: SignedIn;
  /** Whether the token is renewed as it ends. */
  renewed: boolean;
}

/** Reads the token of a command, or asks the API whose it is when it cannot be read, as an API token. */
export async function holderOf(command: WeirCommand): Promise<Holder> {
  const { env, interrupted } = command.context;
  const found = await command.connection();
  const connection = await signedIn(found, { env, interrupted });
  if (connection.token === undefined) throw notSignedIn();
  const renewed = found.session?.refresh_token !== undefined;
  const facts = tokenFacts(connection.token, found.session?.organization_claim);
  if (facts !== undefined) return { facts, connection, renewed };
  const me = await (await command.api()).call(getMe, {});
  const { kind, capabilities } = me;
  return {
    connection,
    renewed,
    told: { kind, ...(capabilities === null ? {} : { capabilities }) },
    facts: {
      subject: me.subject,
      client: me.client,
      ...(me.name === null ? {} : { name: me.name }),
      ...(me.expires_at === null ? {} : { expiresAt: me.expires_at }),
      roles: me.platform_admin ? ['platform_admin'] : [],
      tenants: me.tenants.map(({ alias }) => alias),
      tenantRoles: Object.fromEntries(me.tenants.map(({ alias, roles }) => [alias, roles])),
    },
  };
}
