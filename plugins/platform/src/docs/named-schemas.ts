type Json = Record<string, unknown>;

/** A part of the document that a client type is wanted for, and how good a reason its name has. */
interface Naming {
  readonly name: string;
  /** Of two names for one schema the lower rank wins. */
  readonly rank: number;
  readonly plugin: string;
  readonly text: string;
}

/** By which of the operations a schema is named: what is read alone, what a list holds, what is sent, what is answered. */
const RANK = { single: 0, item: 1, body: 2, answer: 3 } as const;

/**
 * The OpenAPI document with a component schema for each body and each item of a list, and references in their places, so
 * that generated clients have types with names. Names come from operation ids: `sources.get_source` gives `Source`.
 */
export function nameSchemas(document: Json): Json {
  const names = chooseNames(operationsOf(document).flatMap(namingsOf));
  const components = document.components as { schemas: Json };
  const schemas = Object.fromEntries([...names].map(([text, name]) => [name, refer(JSON.parse(text), names, text)]));
  const paths = refer(document.paths, names);
  return { ...document, paths, components: { ...components, schemas: { ...components.schemas, ...sorted(schemas) } } };
}

const sorted = (record: Json): Json =>
  Object.fromEntries(Object.entries(record).toSorted(([one], [other]) => (one < other ? -1 : 1)));

const recordOf = (value: unknown): Json => (value !== null && typeof value === 'object' ? (value as Json) : {});

function operationsOf({ paths }: Json): Json[] {
  return Object.values(recordOf(paths)).flatMap((methods) => Object.values(recordOf(methods)).map(recordOf));
}

function namingsOf(operation: Json): Naming[] {
  const [plugin = '', action = ''] = String(operation.operationId).split('.');
  const [verb = '', ...rest] = action.split('_');
  const noun = rest.length === 0 ? plugin : rest.join('_');
  const [, answered] = Object.entries(recordOf(operation.responses)).find(([status]) => status.startsWith('2')) ?? [];
  const answer = schemaOf(answered);
  const item = verb === 'list' ? recordOf(recordOf(answer?.properties).items).items : undefined;
  const single = verb === 'get' ? `${pascal(rest.length === 0 ? singular(plugin) : noun)}` : `${pascal(action)}Answer`;
  const whole = verb === 'list' ? `${pascal(singular(noun))}List` : single;
  return [
    ...named(answer, whole, verb === 'get' ? RANK.single : RANK.answer),
    ...named(recordOf(item), pascal(singular(noun)), RANK.item),
    ...named(schemaOf(operation.requestBody), `${pascal(action)}Body`, RANK.body),
  ];

  function named(schema: Json | undefined, name: string, rank: number): Naming[] {
    return schema?.properties === undefined ? [] : [{ name, rank, plugin, text: JSON.stringify(schema) }];
  }
}

function schemaOf(part: unknown): Json | undefined {
  const { schema } = recordOf(recordOf(recordOf(part).content)['application/json']);
  return schema === undefined ? undefined : recordOf(schema);
}

/**
 * Names that say more than the ids of the operations, for things that are called otherwise elsewhere or by too general a
 * word; a list of such things follows.
 */
export const OWN_NAMES: Readonly<Record<string, string>> = {
  ...{ Audit: 'AuditEvent', Category: 'PatternCategory', Credentials: 'Credential', Delivery: 'WebhookDelivery' },
  ...{ Config: 'WorkflowEngineConfig', HealthDetailed: 'WorkflowEngineHealthDetailed', Status: 'PlatformStatus' },
  ...{ Pattern: 'ConnectorPattern', PatternItem: 'ConnectorPatternItem', Me: 'Caller' },
  ...{ Quarantine: 'QuarantinedLine', Schema: 'DatasetSchema', DatasetsSchemaVersion: 'DatasetSchemaVersion' },
  ...{ RunOfTransform: 'TransformRun', RunsOfTransform: 'TransformRunItem', SyncHistory: 'SyncRunItem' },
  ...{ RunsOfTransformList: 'TransformRunList', SyncHistoryList: 'SyncRunList' },
  ...{ SourcesSchedule: 'SourceSchedule', SourcesPutScheduleBody: 'PutSourceScheduleBody' },
  ...{ PipelinesSchedule: 'PipelineSchedule' },
  ...{ TransformsSchedule: 'TransformSchedule', TransformsPutScheduleBody: 'PutTransformScheduleBody' },
  ...{ PreviewAnswer: 'DatasetPreview', PreviewResetAnswer: 'StreamReset', PreviewSourceResetAnswer: 'SourceReset' },
  ...{ ReadEventsAnswer: 'EventPage', ReadLogAnswer: 'LogPage', ReadRunChecksAnswer: 'RunChecks' },
  ...{ RunQueryAnswer: 'QueryResult', RunQueryBody: 'QueryBody', StartSchemaMatchAnswer: 'StartedRun' },
};

/** The name that is shown for one that was made of an operation's id. */
function shownName(name: string): string {
  const item = name.replace(/List$/, '');
  if (Object.hasOwn(OWN_NAMES, name)) return OWN_NAMES[name] ?? name;
  return item !== name && Object.hasOwn(OWN_NAMES, item) ? `${OWN_NAMES[item]}List` : name;
}

/**
 * One name for each schema, by its JSON text. An item of a list that is less than what is read alone is called so;
 * schemas of several plugins that want one name have that of their plugin before it.
 */
function chooseNames(namings: readonly Naming[]): Map<string, string> {
  const best = new Map<string, Naming>();
  for (const naming of namings) {
    const known = best.get(naming.text);
    if (known === undefined || naming.rank < known.rank) best.set(naming.text, naming);
  }
  const singles = new Set([...best.values()].filter(({ rank }) => rank === RANK.single).map(ownName));
  const called = [...best.values()].map((naming) =>
    naming.rank === RANK.item && singles.has(ownName(naming)) ? { ...naming, name: `${naming.name}Item` } : naming,
  );
  const wanted = Map.groupBy(called, ({ name }) => name);
  return new Map(
    called.map((naming) => [
      naming.text,
      shownName(wanted.get(naming.name)?.length === 1 ? naming.name : ownName(naming)),
    ]),
  );
}

const ownName = ({ plugin, name }: Naming) => pascal(`${plugin}_${name}`);

/** A copy with references in the place of schemas that have names, that of `own` excepted. */
function refer(value: unknown, names: ReadonlyMap<string, string>, own?: string): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((one) => refer(one, names));
  if ('properties' in value) {
    const text = JSON.stringify(value);
    const name = text === own ? undefined : names.get(text);
    if (name !== undefined) return { $ref: `#/components/schemas/${name}` };
  }
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, refer(one, names)]));
}

const pascal = (words: string) => words.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());

const singular = (plural: string) => plural.replace(/ies$/, 'y').replace(/(?<!s)s$/, '');
