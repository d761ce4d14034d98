/** Door of the operator's check: whether a secret store is set up as the platform needs it, no wider and no narrower. */

import { readFileSync } from 'node:fs';
import { checkRole } from './deployment/check-role.ts';
import { type Fact, fact, unseen } from './deployment/fact.ts';
import { type AskAsOperator, operatorOf } from './deployment/operator.ts';
import type { StoreRole } from './deployment/wanted-rights.ts';
import { createExchange } from './kv/exchange.ts';
import { IDENTITY_MODE, type RoleIdentity } from './kv/login.ts';
import { FILE_FAULTS, readProtectedFile } from './protected-file.ts';

export type { Fact } from './deployment/fact.ts';
export type { RoleIdentity } from './kv/login.ts';
export { VaultError } from './vault-error.ts';

/** A version is named by thousands of runs; a secret that changes every five minutes comes to this in a year. */
const MIN_VERSIONS = 100_000;

export interface Deployment {
  /** Base address of the store. */
  readonly address: string;
  /** File of the authorities that vouch for it, in PEM; the system's when absent. */
  readonly caFile?: string;
  readonly mount: string;
  /** File of the operator's token. */
  readonly tokenFile: string;
  readonly identities: Readonly<Record<StoreRole, RoleIdentity>>;
}

/**
 * Looks at the mount and logs in as each role, to have the operator's token say what it may: everything that was looked at,
 * more and less than wanted alike as faults. Throws `VaultError` when the store cannot be asked, a `TypeError` for an
 * address or a token file that is none.
 */
export async function checkDeployment({ mount, identities, ...place }: Deployment): Promise<Fact[]> {
  const ca = place.caFile === undefined ? undefined : readFileSync(place.caFile, 'utf8');
  const exchange = createExchange({ origin: new URL(place.address), ...(ca !== undefined && { ca }) });
  const operator = operatorOf(exchange, tokenIn(place.tokenFile));
  const facts = await mountFacts(operator, mount);
  const names: (string | undefined)[] = [];
  for (const role of ['api', 'worker'] as const) {
    const found = await checkRole(exchange, operator, { role, identity: identities[role], mount });
    facts.push(...found.facts);
    names.push(found.name);
  }
  const apart = names[0] !== names[1];
  return [...facts, fact('roles', 'API and worker', 'two AppRoles', apart ? 'two AppRoles' : 'one AppRole', apart)];
}

async function mountFacts(operator: AskAsOperator, mount: string): Promise<Fact[]> {
  const mounts = await operator({ method: 'GET', path: 'sys/mounts' });
  const config = await operator({ method: 'GET', path: `${mount}/config` });
  const { type, options } = (mounts?.[`${mount}/`] ?? {}) as { type?: string; options?: { version?: string } | null };
  const kind = type === undefined ? 'not there' : `${type}, version ${options?.version ?? '1'}`;
  const facts = [mounts === undefined ? unseen('mount', 'type') : fact('mount', 'type', KV, kind, kind === KV)];
  if (config === undefined) return [...facts, unseen('mount', 'config')];
  const { max_versions: versions, cas_required: cas, delete_version_after: after } = config;
  const many = typeof versions === 'number' && versions >= MIN_VERSIONS;
  return [
    ...facts,
    fact(
      'mount',
      'max_versions',
      `at least ${MIN_VERSIONS}`,
      versions === 0 ? '0, which means 10' : String(versions),
      many,
    ),
    fact('mount', 'cas_required', 'true', String(cas), cas === true),
    fact('mount', 'delete_version_after', '0s', String(after), after === '0s'),
  ];
}

const KV = 'kv, version 2';

function tokenIn(path: string): string {
  const file = readProtectedFile(path, IDENTITY_MODE);
  if ('fault' in file) throw new TypeError(`The token's setting ${FILE_FAULTS[file.fault]}`);
  return file.bytes.toString('latin1').trim();
}
