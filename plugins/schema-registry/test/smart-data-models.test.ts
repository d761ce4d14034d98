import t from 'tap';
import { libraryFaults, libraryRows } from '../src/model/library.ts';
import { lintSchema } from '../src/model/schema/lint.ts';
import { type ModelAttribute, smartDataModels } from '../src/model/smart-data-models.ts';

const base = 'https://models.test';
/** An attribute in the form of the package, of made-up models. */
const attribute = (place: string, more: Partial<ModelAttribute> = {}): ModelAttribute => {
  const [repoName = '', dataModel = '', ...path] = place.split('/');
  const id = (parts: readonly string[]) => `${base}/${[repoName, dataModel, ...parts].join('/')}#1.2.0`;
  const parent = path.length > 1 ? { parentId: id(path.slice(0, -1)) } : {};
  const facts = { license: `${base}/${dataModel}/LICENSE`, schemaVersion: '1.2.0', property: path.at(-1) ?? '' };
  return { id: id(path), ...parent, repoName, dataModel, ...facts, ...more };
};

t.test('attributes of models → schemas with their version, licence, origin and NGSI types', async (t) => {
  const attributes = [
    attribute('dataModel.Harbour/Berth/id', { type: 'string', format: 'uri' }),
    attribute('dataModel.Harbour/Berth/address', { type: 'object', typeNGSI: 'Property' }),
    attribute('dataModel.Harbour/Berth/address/town', { type: 'string', description: 'Town' }),
    attribute('dataModel.Harbour/Berth/ships', { type: 'array' }),
    attribute('dataModel.Harbour/Berth/ships/draught', { type: 'number', units: 'm' }),
    attribute('dataModel.Harbour/Berth/state', { type: 'string', enum: ['free', 'taken', 'free'] }),
    attribute('dataModel.Harbour/Berth/odd', { type: { anyOf: [] }, format: 'uuencoded' }),
    attribute('dataModel.Harbour/Crane/load', { type: 'number' }),
    attribute('dataModel.Other/Thing/x', { type: 'string' }),
  ];
  const models = [
    {
      subject: 'dataModel.Harbour',
      dataModel: 'Berth',
      title: 'Berth',
      required: ['id', 'type'],
      derivedFrom: 'a norm',
    },
  ];
  const library = smartDataModels({ version: '9', attributes, models }, ['Harbour']);
  t.strictSame(libraryFaults(library), []);
  t.match(library, {
    ...{ library_id: 'sdm', version: '9' },
    schemas: [
      {
        ...{ domain: 'Harbour', name: 'Berth', version: '1.2.0', license: `${base}/Berth/LICENSE` },
        attribution: /dataModel.Harbour\/tree\/master\/Berth, derived from a norm$/,
        json_schema: {
          required: ['id'],
          properties: {
            id: { type: 'string', format: 'uri' },
            address: { type: 'object', properties: { town: { description: 'Town' } }, 'x-ngsi': { type: 'Property' } },
            ships: { type: 'array', items: { properties: { draught: { 'x-ngsi': { units: 'm' } } } } },
            state: { enum: ['free', 'taken'] },
          },
        },
      },
      { name: 'Crane', json_schema: { title: 'Crane' } },
    ],
  });
  t.equal(library.schemas.length, 2, 'of the subjects that were asked for');
  for (const { json_schema } of library.schemas) t.strictSame(lintSchema(json_schema), []);
  t.match(libraryRows(library).rows, [
    { schema_id: 'Berth', properties: 5 },
    { schema_id: 'Crane', properties: 1 },
  ]);
});
