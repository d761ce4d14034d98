import type { Proof } from '../proof.ts';
import { textsOf } from '../search/likely-texts.ts';
import { branchesOf, type PlantedConfig, plantConfig } from '../secrets.ts';

/** A pattern with credentials, as the API shows it. */
export interface PatternWithCredentials {
  readonly id: string;
  readonly branches: number;
  /** A configuration of this branch with fresh canaries in every credential field; they are searched for from now on. */
  plant(branch: number): PlantedConfig;
}

interface Shown {
  pattern_id: string;
  needs_credentials: boolean;
  spec: Record<string, unknown>;
  fields: { path: string; type: string; credential: boolean }[];
}

/** Every installed pattern with credentials, the fixtures among them. */
export async function patternsWithCredentials(
  { platform, ledger, fault }: Proof,
  mode: string,
): Promise<PatternWithCredentials[]> {
  const { body } = await platform.call({ method: 'GET', path: '/patterns/discover?limit=500' });
  const found: PatternWithCredentials[] = [];
  for (const { pattern_id: id, needs_credentials } of (body.items ?? []) as Shown[]) {
    if (!needs_credentials) continue;
    const pattern = (await platform.call({ method: 'GET', path: `/patterns/${id}` })).body as unknown as Shown;
    const listed = pattern.fields.filter(({ credential, type }) => credential || type === 'password');
    found.push({
      id,
      branches: branchesOf(pattern.spec),
      plant(branch) {
        const paths = listed.map(({ path }) => path);
        const planted = plantConfig(pattern.spec, { mode, branch, listed: paths });
        for (const canary of planted.canaries) ledger.plant({ ...canary, field: `${id}${canary.field}` });
        ledger.hashed([...textsOf(planted.whole), ...textsOf(planted.secret)]);
        return planted;
      },
    });
  }
  if (found.length === 0) fault('no pattern has credentials: nothing was planted');
  return found;
}
