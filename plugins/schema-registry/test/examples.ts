import {
  bulkRegister,
  changeSchemaVersion,
  differSchemaVersions,
  discoverAndRegister,
  getSchemaVersion,
  listSchemaVersions,
  registerSchema,
  searchRegistry,
  syncCatalog,
  validateByLibrary,
  validateSchema,
} from '@weir/plugin-schema-registry/contract';
import { type Examples, example } from '../../../test/examples.ts';

const schema = { type: 'object', properties: { id: { type: 'string' } } };

export const examples: Examples = {
  // Libraries are the same for every tenant, and versions begin with 1.
  shared: {
    library_id: 'core',
    domain: 'Commerce',
    schema_id: 'Order',
    full_id: 'core:Commerce:Order',
    schema_version: '1',
  },
  meant: [{ of: [getSchemaVersion, changeSchemaVersion, differSchemaVersions], name: 'version', as: 'schema_version' }],
  absent: { subject: () => 'absent.subject' },
  own: [
    { of: listSchemaVersions, why: 'how a subject has grown' },
    { of: getSchemaVersion, why: 'what Location of a new version names' },
    { of: changeSchemaVersion, why: 'a version comes into force, or is not to be used any more' },
    { of: differSchemaVersions, why: 'what another version changes, and whom it breaks' },
  ],
  async furnish({ api, tenant }) {
    const subject = `${tenant}.furnished`;
    await api(registerSchema, { body: { subject, schema } });
    return { subject };
  },
  calls: [
    example(registerSchema, { body: { subject: 'walked', schema, dry_run: true } }),
    example(bulkRegister, { body: { items: [{ subject: 'walked.bulk', schema }] } }),
    example(discoverAndRegister, { body: { subject: 'walked.seen', sample_documents: [{ id: 'a' }] } }),
    example(changeSchemaVersion, { body: { status: 'active' } }),
    example(searchRegistry, { body: { q: 'furnished' } }),
    example(validateSchema, { body: { schema, instance: { id: 'a' } } }),
    example(validateByLibrary, { body: { instance: {} } }),
    example(syncCatalog, { body: { library_id: 'core', mode: 'dry_run' } }),
  ],
};
