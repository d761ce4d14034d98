import { definePlugin, type Kernel, provide, type WeirPlugin } from '@weir/kernel';
import { kernelProblems } from '@weir/kernel/contract';
import { type Teardown, testPlugin } from '@weir/kernel/testing';
import * as tools from '@weir/migrations';
import {
  datasetProblems,
  type InputsService,
  type PinnedInput,
  Samples,
  type SamplesService,
} from '@weir/plugin-datasets/contract';
import { Definitions, type DefinitionsService, type GivenTransform } from '@weir/plugin-transforms/contract';
import type { SpanFacts } from '@weir/telemetry';
import { validateService } from '../../transforms/src/service/validate.ts';
import { selectWorld } from '../../transforms/test/select-kit.ts';
import plugin, { registered } from '../src/plugin.ts';
import type { AiProvider } from '../src/service/provider.ts';

export const ORDERS = 'bronze.acme.orders';
const COLUMNS = [
  { name: 'id', type: 'long' },
  { name: 'total', type: 'decimal(9, 2)' },
  { name: 'note', type: 'string' },
];
/** A value of a row, which leaves the platform in no question to a provider. */
export const SECRET = 'value-of-a-row';

interface Given {
  /** The provider that an operator has named. */
  remote?: AiProvider;
  settings?: Record<string, unknown>;
  /** In place of the engine. */
  validate?: DefinitionsService['validate'];
  columns?: typeof COLUMNS;
}

const samplesOf = (columns: typeof COLUMNS): Partial<SamplesService> => ({
  async describe(tenant, datasetId) {
    if (!datasetId.includes(`.${tenant.scope}.`)) throw datasetProblems.datasetNotReadable();
    if (datasetId !== ORDERS) throw kernelProblems.notFound();
    return { snapshotId: '1', columns };
  },
  ask: async (_tenant, _id, { columns: names, rows }) => ({
    rows,
    more: false,
    results: [[1, 2, 2].map((id) => names.map((name) => (name === 'id' ? id : `${SECRET}-${id}`)))],
  }),
});

/** The engine over one table of three rows. */
async function engine(t: Parameters<typeof selectWorld>[0]): Promise<DefinitionsService['validate']> {
  const { pin, selects } = await selectWorld(t);
  const inputs: Partial<InputsService> = {
    pin: async (tenant, asked) =>
      asked.map(({ datasetId }) => {
        if (!datasetId.includes(`.${tenant.scope}.`)) throw datasetProblems.datasetNotReadable();
        if (datasetId !== ORDERS) throw kernelProblems.notFound();
        return { ...pin, columns: COLUMNS } as PinnedInput;
      }),
    near: async (_, datasetId) => (datasetId.startsWith('bronze.acme.or') ? ORDERS : undefined),
    declared: async () => [],
  };
  return validateService({ inputs: inputs as InputsService, selects }).validate;
}

/** The plugin on a database of its own, over a real engine; `made` are the transforms that were made. */
export async function setUp(
  t: Teardown & Parameters<typeof selectWorld>[0],
  { remote, settings = {}, validate, columns = COLUMNS }: Given = {},
) {
  const made: GivenTransform[] = [];
  const spans: SpanFacts[] = [];
  const definitions: Partial<DefinitionsService> = {
    validate: validate ?? (await engine(t)),
    whereTaken: (work) => work(),
    async make(_tx, _by, given) {
      made.push(given);
      return { transform_id: '0199d3f2-5c1e-7a40-9b6d-3f1c2a7e8d90' } as Awaited<
        ReturnType<DefinitionsService['make']>
      >;
    },
  };
  const services = () => [
    provide(Samples, samplesOf(columns) as SamplesService),
    provide(Definitions, definitions as DefinitionsService),
  ];
  const limits = { WEIR_AI_DAILY_CALLS: 10_000, WEIR_AI_DAILY_TOKENS: 1_000_000 };
  const under = await testPlugin(t, remote === undefined ? plugin : over(remote, spansOf(spans)), {
    ...{ tools, services, settings: { ...limits, ...settings } },
  });
  for (const alias of ['acme', 'other']) await under.tenant(alias);
  return { ...under, ...under.as('acme'), made, spans };
}

/** Records spans as a collector would have them. */
const spansOf =
  (spans: SpanFacts[]): Kernel['span'] =>
  async (facts, work) => {
    const own = { ...facts, attributes: { ...facts.attributes } };
    spans.push(own);
    return work((more) => void Object.assign(own.attributes, more));
  };

const over = (remote: AiProvider, span: Kernel['span']): WeirPlugin =>
  definePlugin({ ...plugin.spec, setup: (kernel) => registered({ ...kernel, span } as Kernel<never>, remote) });
