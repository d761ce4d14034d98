import type { CallContext } from '@weir/kernel';
import { type Endpoint, kernelProblems, type Output } from '@weir/kernel/contract';
import { getEntityType, listEntityTypes } from '@weir/plugin-ontology/contract';
import {
  getSchemaByFullId,
  getSchemaVersion,
  listSubjects,
  searchLibraries,
  searchRegistry,
} from '@weir/plugin-schema-registry/contract';
import type { WarningView } from '../../contract/envelope.ts';
import { aiProblems } from '../../contract/problems.ts';
import { fieldsOfJsonSchema, type Target, targetOfEntityType } from '../../model/fields/field.ts';

type Call = CallContext['call'];
type Input = Parameters<Call>[1];

/** Schemas and entity types that are looked at for one question. */
const LOOKED_AT = 10;
const MAX_WORDS = 200;

/** The answer of another route, asked as the caller; undefined where it is refused. */
async function asked<E extends Endpoint>(call: Call, of: E, input: Input): Promise<Output<E> | undefined> {
  const { status, body } = await call(of, input);
  return status === 200 ? (body as Output<E>) : undefined;
}

/** What a caller names as target. Throws `not_found`, and `unsupported_request` where the plugin that has it is not given to the tenant. */
export async function namedTarget(
  call: Call,
  named: {
    entity_type_code?: string | undefined;
    version?: number | undefined;
    full_id?: string | undefined;
    schema?: Record<string, unknown> | undefined;
  },
): Promise<Target> {
  const { entity_type_code: code, version, full_id: fullId, schema } = named;
  const given = [code, fullId, schema].filter((one) => one !== undefined);
  if (given.length !== 1) {
    const errors = [
      { pointer: '/target', code: 'choose_one', message: 'must name an entity type, a schema by its id, or hold one' },
    ];
    throw kernelProblems.validationFailed({ errors });
  }
  if (schema !== undefined)
    return withFields({ source: 'inferred', full_id: null, relationships: [], fields: fieldsOfJsonSchema(schema) });
  if (code !== undefined) {
    const query = version === undefined ? {} : { query: { version: String(version) } };
    const answer = await call(getEntityType, { params: { code }, ...query });
    return targetOfEntityType(readable<Output<typeof getEntityType>>(answer));
  }
  return withFields(await schemaTarget(call, fullId ?? ''));
}

async function schemaTarget(call: Call, fullId: string): Promise<Target> {
  if (fullId.includes(':')) {
    const found = readable<Output<typeof getSchemaByFullId>>(
      await call(getSchemaByFullId, { params: { full_id: fullId } }),
    );
    return {
      source: 'library',
      full_id: found.full_id,
      relationships: [],
      fields: fieldsOfJsonSchema(found.json_schema),
    };
  }
  const [subject = '', version] = fullId.split('@');
  const heads = readable<Output<typeof listSubjects>>(await call(listSubjects, { query: { subject } }));
  const newest = heads.items[0]?.version;
  if (newest === undefined) throw kernelProblems.notFound();
  const params = { subject, version: version ?? String(newest) };
  const found = readable<Output<typeof getSchemaVersion>>(await call(getSchemaVersion, { params }));
  return {
    source: 'registry',
    full_id: `${subject}@${found.version}`,
    relationships: [],
    fields: fieldsOfJsonSchema(found.json_schema),
  };
}

function readable<T>({ status, body }: { status: number; body: unknown }): T {
  if (status === 200) return body as T;
  if (status === 404) throw kernelProblems.notFound();
  throw aiProblems.unsupportedRequest({
    values: { reason: 'the plugin that has this target is not enabled for the tenant' },
  });
}

function withFields(target: Target): Target {
  if (target.fields.length > 0) return target;
  throw aiProblems.unsupportedRequest({ values: { reason: 'the schema has no properties' } });
}

/** Schemas and entity types that could fit, by words, of the plugins that the tenant has. */
export async function candidateTargets(
  call: Call,
  { words, libraryId }: { words: string; libraryId?: string | undefined },
): Promise<{ targets: Target[]; warnings: WarningView[] }> {
  const q = words.slice(0, MAX_WORDS);
  const query = { q, limit: String(LOOKED_AT), ...(libraryId !== undefined && { library_id: libraryId }) };
  const [libraries, registry, ontology] = await Promise.all([
    asked(call, searchLibraries, { query }),
    libraryId === undefined ? asked(call, searchRegistry, { body: { q, limit: LOOKED_AT } }) : undefined,
    libraryId === undefined ? asked(call, listEntityTypes, { query: { limit: '50' } }) : undefined,
  ]);
  const types = (ontology?.items ?? []).slice(0, 2 * LOOKED_AT).map(({ code }) => ({ entity_type_code: code }));
  const schemas = [
    ...(libraries?.items ?? []).map(({ full_id }) => ({ full_id })),
    ...(registry?.items ?? []).map(({ subject, version }) => ({ full_id: `${subject}@${version}` })),
  ];
  const found = await Promise.allSettled([...schemas, ...types].map((named) => namedTarget(call, named)));
  const targets = found.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const warnings: WarningView[] = [];
  if (libraries === undefined)
    warnings.push({ code: 'no_schemas', detail: 'Schema libraries and the registry are not enabled for the tenant.' });
  if (libraryId === undefined && ontology === undefined)
    warnings.push({ code: 'no_ontology', detail: 'The ontology is not enabled for the tenant.' });
  return { targets, warnings };
}
