import { provide } from '@weir/kernel';
import { type Teardown, type TestPluginOptions, testPlugin } from '@weir/kernel/testing';
import * as tools from '@weir/migrations';
import { Samples, type SamplesService } from '@weir/plugin-datasets/contract';
import plugin from '../src/plugin.ts';

const NOWHERE = { WEIR_PLATFORM: '/nowhere/platform.json', WEIR_SCHEMA_LIBRARIES: 'libraries' };

/** The plugin on a database of its own, with two tenants. */
export async function setUp(
  t: Teardown,
  samples: Partial<SamplesService> = {},
  settings: TestPluginOptions['settings'] = NOWHERE,
) {
  const services = () => [provide(Samples, samples as SamplesService)];
  const under = await testPlugin(t, plugin, { tools, services, settings });
  for (const alias of ['acme', 'other']) await under.tenant(alias);
  return { ...under, ...under.as('acme') };
}
