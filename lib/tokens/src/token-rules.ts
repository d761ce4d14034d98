import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { strictJson } from '@weir/documents';
import { type KeySetOptions, providerKeys } from './keys.ts';
import type { ServiceMark } from './service-proof.ts';
import type { ConfiguredClient, TokenRules } from './verify-token.ts';

type ClientSetting = 'WEIR_SERVICE_PRINCIPALS' | 'WEIR_DELEGATION_CLIENTS';

/** The settings that say who issues tokens, for whom, and what their claims mean. */
export interface TokenSettings {
  IDP_URL: string;
  IDP_REALM?: string;
  IDP_ISSUER: string;
  IDP_CLIENT_ID: string;
  WEIR_IDP_AUDIENCE: string;
  WEIR_IDP_ORG_CLAIM: string;
  WEIR_IDP_SERVICE_MARKS: string;
  WEIR_PLATFORM_ADMIN_ROLE: string;
  WEIR_SERVICE_PRINCIPALS: string;
  WEIR_DELEGATION_CLIENTS: string;
}

/** A setting that cannot hold; its message names the setting and never the value. */
export class TokenSettingsError extends Error {}

/** The rules for access tokens, made from the settings. @throws {TokenSettingsError} */
export function tokenRules<R extends string>(
  settings: TokenSettings,
  tenantRoles: readonly R[],
  log: KeySetOptions['log'],
): TokenRules<R> {
  const services = clients(settings, 'WEIR_SERVICE_PRINCIPALS');
  const delegations = clients(settings, 'WEIR_DELEGATION_CLIENTS');
  const named = { IDP_CLIENT_ID: [settings.IDP_CLIENT_ID], WEIR_SERVICE_PRINCIPALS: services.keys() };
  for (const [name, ids] of Object.entries({ ...named, WEIR_DELEGATION_CLIENTS: delegations.keys() })) {
    if (![...ids].includes(settings.WEIR_IDP_AUDIENCE)) continue;
    throw new TokenSettingsError(
      `WEIR_IDP_AUDIENCE must differ from ${name}: an ID token would pass for an access token`,
    );
  }
  const realm = settings.IDP_REALM === undefined ? '' : `/realms/${encodeURIComponent(settings.IDP_REALM)}`;
  return {
    issuer: settings.IDP_ISSUER,
    audience: settings.WEIR_IDP_AUDIENCE,
    organizationClaim: settings.WEIR_IDP_ORG_CLAIM,
    tenantRoles,
    platformAdminRole: settings.WEIR_PLATFORM_ADMIN_ROLE,
    services,
    serviceMarks: serviceMarks(settings),
    delegations,
    keys: providerKeys({ providerUrl: `${settings.IDP_URL.replace(/\/$/, '')}${realm}`, log }),
  };
}

const Clients = Type.Record(
  Type.String(),
  Type.Object(
    {
      tenants: Type.Union([Type.Literal('*'), Type.Array(Type.String())]),
      capabilities: Type.Array(Type.String()),
    },
    { additionalProperties: false },
  ),
);

function clients(settings: TokenSettings, name: ClientSetting): Map<string, ConfiguredClient> {
  const shape = '{"<client id>": {"tenants": ["<alias>"] or "*", "capabilities": ["<name>"]}}';
  return new Map(Object.entries(settingDocument(settings, name, Clients, shape)));
}

/** A mark without a claim would be in every token. */
const Marks = Type.Array(Type.Record(Type.String(), Type.String({ minLength: 1 }), { minProperties: 1 }));

function serviceMarks(settings: TokenSettings): readonly ServiceMark[] {
  return settingDocument(settings, 'WEIR_IDP_SERVICE_MARKS', Marks, '[{"<claim>": "<value>"}]');
}

/** Reads a setting that is a JSON document, or refuses it without an echo. */
function settingDocument<S extends TSchema>(
  settings: TokenSettings,
  name: ClientSetting | 'WEIR_IDP_SERVICE_MARKS',
  schema: S,
  shape: string,
): Static<S> {
  try {
    const document = strictJson(Buffer.from(settings[name]));
    if (Value.Check(schema, document)) return document;
  } catch {
    // Refused below, as any other text that is not of the shape.
  }
  throw new TokenSettingsError(`${name} must be JSON of the shape ${shape}`);
}
