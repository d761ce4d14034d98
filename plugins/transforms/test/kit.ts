import { provide } from '@weir/kernel';
import { type Teardown, testPlugin } from '@weir/kernel/testing';
import * as tools from '@weir/migrations';
import { Producers } from '@weir/plugin-datasets/contract';
import { Events, type Hint } from '@weir/plugin-platform/contract';
import { producersService } from '../../datasets/src/producer/producers.ts';
import * as endpoints from '../src/contract.ts';
import plugin from '../src/plugin.ts';

export const SQL = 'select id, count(*) as orders from bronze.acme.orders group by id';

/** The plugin on a real database, with the registry of producers; `hints` are what was published. */
export async function setUp(t: Teardown) {
  const hints: Hint[] = [];
  const events = { publish: async (_: unknown, hint: Hint) => void hints.push(hint) };
  const services = () => [provide(Producers, producersService()), provide(Events, events)];
  const under = await testPlugin(t, plugin, { tools, services });
  const acme = await under.tenant('acme');
  const { call } = under.as('acme');
  const create = async (name: string, more: object = {}) => {
    const body = { name, sql: SQL, output: `gold.${acme.scope}.${name}`, ...more };
    const made = await call(endpoints.createTransform, { body });
    if (!made.ok) throw new Error(made.problem.code);
    return made.body;
  };
  return { ...under, acme, call, create, hints };
}

/** A refusal as the wire shows it. */
export const refused = (status: number, code: string) => ({ ok: false, problem: { status, code } });
