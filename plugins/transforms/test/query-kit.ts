import { provide } from '@weir/kernel';
import { type Teardown, testPlugin } from '@weir/kernel/testing';
import * as tools from '@weir/migrations';
import {
  Inputs,
  type InputsService,
  Producers,
  type TableOwner,
  Tables,
  type TablesService,
} from '@weir/plugin-datasets/contract';
import { Events } from '@weir/plugin-platform/contract';
import { SubjectSchedules, type SubjectSchedulesService } from '@weir/plugin-schedules/contract';
import { lake } from '../../datasets/test/kit.ts';
import plugin from '../src/plugin.ts';
import { schedules } from './kit.ts';

export const ROWS = 5;
/** A value of another tenant. */
export const FOREIGN = 'of-another-tenant';

/** The plugin over real tables of two tenants; `orders` of acme has rows named `name 1` and so on; `adapt` adds to it. */
export async function queryWorld(t: Teardown & { testdir(): string }, adapt = (given: typeof plugin) => given) {
  const world = await lake(t);
  const tenants = { acme: await world.tenant('acme'), other: await world.tenant('other') };
  const rows = Array.from({ length: ROWS }, (_, at) => ({ id: at + 1, name: `name ${at + 1}` }));
  const landed = await world.land(tenants.acme, 'orders', rows);
  await world.land(tenants.other, 'orders', [{ id: 99, name: FOREIGN }]);
  // The datasets plugin has a database of its own here: its tenants are those of the same alias.
  const own = (tenant: TableOwner) => tenants[tenant.scope as keyof typeof tenants];
  const inputs: InputsService = {
    ...world.inputs,
    pin: (tenant, asked) => world.inputs.pin(own(tenant), asked),
  };
  const tables: TablesService = { ...world.tables, describe: (tenant, ref) => world.tables.describe(own(tenant), ref) };
  const services = () => [
    provide(Tables, tables),
    ...[provide(Inputs, inputs), provide(Producers, world.producers)],
    provide(Events, { publish: async () => undefined }),
    provide(SubjectSchedules, schedules as SubjectSchedulesService),
  ];
  const under = await testPlugin(t, adapt(plugin), { tools, services });
  await under.tenant('acme');
  await under.tenant('other');
  return { ...under, world, tenants, landed };
}
