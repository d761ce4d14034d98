import {
  changeEntityType,
  createEntityType,
  createEntityTypeVersion,
  differEntityTypeVersions,
  getEntity,
  listEntities,
  listEntityLinks,
  retireEntityType,
} from '@weir/plugin-ontology/contract';
import { type Examples, example, inTurn, VICTIMS } from '../../../test/examples.ts';

const properties = [{ code: 'vin', value_type: 'string' as const, required: true }];
const type = (code: string) => ({ code, properties, primary_key: ['vin'] });

export const examples: Examples = {
  shared: { type_version: '1', key: 'no-entity-yet', relationship: 'owner' },
  meant: [{ of: [differEntityTypeVersions], name: 'version', as: 'type_version' }],
  absent: { code: () => 'Absent' },
  own: [
    { of: differEntityTypeVersions, why: 'what another version changes, and what of it breaks readers' },
    { of: listEntities, why: 'the entities of a type, and those that have a value' },
    { of: getEntity, why: 'one entity with the number of its links' },
    { of: listEntityLinks, why: 'the entities that an entity is linked with' },
  ],
  async furnish({ api, tenant }) {
    const code = `Furnished_${tenant}`;
    await api(createEntityType, { body: { ...type(code), status: 'active' } });
    return { code };
  },
  calls: [
    example(createEntityType, { body: type('Walked') }),
    example(changeEntityType, { body: { description: 'Walked' } }),
    example(createEntityTypeVersion, {
      body: { document: { properties, primary_key: ['vin'] }, base_version: 1 },
    }),
    ...[getEntity, listEntityLinks].map((of) => ({ of, unreached: { why: 'syncs make entities, and no call does' } })),
  ],
  async seed({ api }) {
    const victims = await inTurn(VICTIMS, (at) => api(createEntityType, { body: type(`Victim${at}`) }));
    return { calls: [{ of: retireEntityType, params: { code: victims.map(({ code }) => code) } }] };
  },
};
