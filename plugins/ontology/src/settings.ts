import { Type } from '@sinclair/typebox';
import { SecretSetting } from '@weir/kernel';

const text = (description: string) => Type.Optional(Type.String({ description }));
const BINDINGS =
  'Which ontology tenant each tenant is: a JSON object of aliases, compared exactly; a tenant without an entry is refused';

/** Environment variables of this plugin. */
export const settings = Type.Object({
  ONTOLOGY_ENABLED: Type.Optional(
    Type.Boolean({ description: 'true or false; without it, only development has the ontology' }),
  ),
  ONTOLOGY_SERVICE_URL: text('Address of an ontology service; empty for the store in the database'),
  ONTOLOGY_API_KEY: Type.Optional(SecretSetting({ description: 'Key of the ontology service' })),
  ONTOLOGY_TENANT_ID: text('The one ontology tenant of development; refused elsewhere'),
  ONTOLOGY_TENANT_BINDINGS_JSON: text(BINDINGS),
  ONTOLOGY_TENANT_BINDINGS_JSON_FILE: Type.Optional(
    Type.String({ format: 'file', description: 'A file with the bindings, read again after each change' }),
  ),
});
