import { definePlugin, type Kernel, type WeirPlugin } from '@weir/kernel';
import { type Teardown, testPlugin } from '@weir/kernel/testing';
import * as tools from '@weir/migrations';
import type { EntityChunk, EntityItem, OntologyStore } from '../src/model/entity/store.ts';
import plugin, { registered } from '../src/plugin.ts';
import type { OntologySettings } from '../src/service/bindings.ts';

export const RUN = '0199d3f2-5c1e-7a40-9b6d-3f1c2a7e8d90';

/** The plugin on a database of its own, with two tenants; over a store of the test if one is given. */
export async function setUp(
  t: Teardown,
  { settings = {}, store }: { settings?: OntologySettings; store?: (own: OntologyStore) => OntologyStore } = {},
) {
  const under = await testPlugin(t, store === undefined ? plugin : over(store), { tools, settings });
  const tenants = { acme: await under.tenant('acme'), other: await under.tenant('other') };
  return { ...under, ...under.as('acme'), tenants };
}

const over = (store: (own: OntologyStore) => OntologyStore): WeirPlugin =>
  definePlugin({
    ...plugin.spec,
    setup: (kernel) => registered(kernel as Kernel<OntologySettings>, store),
  });

export const property = (code: string, value_type = 'string', more: object = {}) => ({ code, value_type, ...more });

/** An entity type with a key, and what else is given. */
export const vehicle = (more: object[] = [], rest: object = {}) => ({
  code: 'Vehicle',
  properties: [property('vin', 'string', { required: true }), ...more],
  primary_key: ['vin'],
  ...rest,
});

export const item = (key: string, properties: object = {}, links: EntityItem['links'] = []): EntityItem => ({
  key,
  properties: { vin: key, ...properties },
  links,
  rowHash: Buffer.from(JSON.stringify([key, properties, links]).padEnd(32).slice(-32)).toString('hex'),
});

/** A chunk of entities of the type `Vehicle`, or of another. */
export const chunk = (items: EntityItem[], more: Partial<EntityChunk> = {}): EntityChunk =>
  ({
    runId: RUN,
    seq: 0,
    operation: 'upsert',
    items,
    type: { code: 'Vehicle', version: 1, indexed: ['country', 'tags'] },
    ...more,
  }) as EntityChunk;
