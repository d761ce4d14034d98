import type { Input, Principal, Tenant } from '@weir/kernel/contract';
import type { DefinitionsService } from '@weir/plugin-transforms/contract';
import { specOf, wholeBacking } from '../../contract/backing/document.ts';
import {
  type BackingPreviewView,
  PREVIEW_ROWS,
  type PreviewEntityView,
  type previewBackingDataset,
} from '../../contract/backing/preview.ts';
import { backingProblems } from '../../contract/backing/problems.ts';
import { itemFault } from '../../model/entity/key.ts';
import { type MappedLine, mappingSql } from '../../model/sync/mapping.ts';
import { type ValueFaults, valueFaults } from '../../model/type/value-faults.ts';
import type { OntologyTenants } from '../bindings.ts';
import { keysOf } from '../sync/sync-type.ts';
import { assertFitting, type JudgeDeps, mappedType } from './judge.ts';

export interface PreviewDeps extends JudgeDeps {
  definitions: Pick<DefinitionsService, 'validate' | 'preview'>;
  tenants: OntologyTenants;
}

type Body = Input<typeof previewBackingDataset>['body'];

/** Shows what a mapping would make of the first rows. */
export function previewService(deps: PreviewDeps) {
  const { kernel, definitions, tenants } = deps;
  return {
    /** Throws what creating the backing dataset would, but for its name, and what a query does. */
    async preview(
      tenant: Tenant,
      principal: Principal,
      { body: { tenant: meant, ontology_tenant, ...body }, signal }: { body: Body; signal: AbortSignal },
    ): Promise<BackingPreviewView> {
      if (meant !== undefined && meant !== tenant.alias) throw backingProblems.tenantMismatch();
      tenants.boundTenant(tenant, principal, ontology_tenant);
      const spec = specOf(wholeBacking(body));
      await assertFitting(deps, tenant, { spec, backingDatasetId: undefined, signal });
      const mapping = await kernel.db(tenant).transaction(async (tx) => ({
        spec,
        type: await mappedType(tx, spec),
        targets: await keysOf(
          tx,
          spec.relationship_mappings.map(({ target_type }) => target_type),
        ),
      }));
      const { sql, over } = mappingSql(mapping);
      const rows = over('picked').rows;
      const found = await definitions.preview(tenant, {
        sql: `WITH picked AS (${sql} LIMIT ${PREVIEW_ROWS + 1})\n${rows}`,
        limit: PREVIEW_ROWS,
      });
      const input = found.inputs.find(({ dataset_id }) => dataset_id === spec.dataset_id);
      return {
        dataset_id: spec.dataset_id,
        snapshot_id: input?.snapshot_id ?? null,
        entities: entitiesOf(found.rows as Row[], valueFaults(mapping.type), {
          isAlone: spec.duplicate_keys === 'fail',
        }),
        has_more: found.truncated,
      };
    },
  };
}

export type PreviewService = ReturnType<typeof previewService>;

/** Key, deleted, and as JSON faults, properties and links. */
type Row = [key: string | null, deleted: boolean, faults: string, properties: string, links: string];

function entitiesOf(rows: readonly Row[], judge: ValueFaults, { isAlone }: { isAlone: boolean }): PreviewEntityView[] {
  const keys = Map.groupBy(rows, ([key]) => key);
  return rows.map(([key, deleted, said, properties, links], at) => {
    const entity = {
      row: at + 1,
      key,
      deleted,
      properties: present(JSON.parse(properties)),
      links: (JSON.parse(links) as MappedLine['l']).map(({ r, t, k }) => ({
        relationship: r,
        target_type: t,
        target_key: k,
      })),
    };
    const faults: PreviewEntityView['faults'] = [...JSON.parse(said), ...judge(entity.properties)];
    const add = (code: PreviewEntityView['faults'][number]['code']) => faults.push({ code, of: null });
    if (key === null) add('key_missing');
    else if (isAlone && (keys.get(key)?.length ?? 0) > 1) add('key_repeated');
    const fault = key === null ? undefined : itemFault({ ...entity, key, links: linksOf(entity.links), rowHash: '' });
    if (fault !== undefined && fault !== 'repeated') add(fault);
    return { ...entity, faults };
  });
}

const present = (properties: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== null));

const linksOf = (links: PreviewEntityView['links']) =>
  links.map(({ relationship, target_type, target_key }) => ({
    relationship,
    targetType: target_type,
    targetKey: target_key,
  }));
