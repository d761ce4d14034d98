import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { planPlatform, Refusal } from '@weir/kernel/boot';
import t from 'tap';

interface FixturePlugin {
  name: string;
  weir: Record<string, unknown>;
}

/** Writes a deployment of fixture plugins, as an operator's folder would hold them, and returns its platform.json. */
function deployment(folder: string, plugins: FixturePlugin[]): string {
  for (const { name, weir } of plugins) {
    const home = join(folder, 'node_modules', name);
    mkdirSync(home, { recursive: true });
    writeFileSync(
      join(home, 'package.json'),
      JSON.stringify({ name, version: '1.0.0', type: 'module', exports: './index.js', weir }),
    );
    writeFileSync(join(home, 'index.js'), 'throw new Error("a plan never runs a plugin")');
  }
  const file = join(folder, 'platform.json');
  writeFileSync(file, JSON.stringify({ plugins: plugins.map(({ name }) => name), migrations: 'none' }));
  return file;
}

const weir = (id: string, more: Record<string, unknown> = {}) => ({
  id,
  kernel: '>=0.1.0',
  tenancy: 'always',
  prefixes: [`/${id}`],
  ...more,
});

const faultsOf = (file: string): readonly string[] => {
  try {
    planPlatform(file);
    return [];
  } catch (error) {
    return error instanceof Refusal ? error.faults : [`not a refusal: ${(error as Error).message}`];
  }
};

t.test('faults of plugins are refused at boot by name, all in one message, without running any plugin', async (t) => {
  const file = deployment(t.testdir(), [
    { name: 'too-new', weir: weir('too-new', { kernel: '^99.0.0' }) },
    { name: 'needy', weir: weir('needy', { requires: ['missing.things@1'] }) },
    {
      name: 'first',
      weir: weir('first', { prefixes: ['/shared'], provides: ['first.s@1'], requires: ['second.s@1'] }),
    },
    {
      name: 'second',
      weir: weir('second', { prefixes: ['/shared'], provides: ['second.s@1'], requires: ['first.s@1'] }),
    },
  ]);
  const faults = faultsOf(file);
  t.equal(faults.length, 4);
  t.match(faults, [
    /plugin too-new 1\.0\.0 needs kernel \^99\.0\.0, this kernel is/,
    /prefix \/shared is claimed by both first and second/,
    /plugin needy requires service missing\.things@1, but no plugin provides it/,
    /plugins require each other in a circle: first -> second/,
  ]);
});

t.test('a manifest that does not fit its schema, or a plugin that is not installed, is refused by name', async (t) => {
  const folder = t.testdir();
  const file = deployment(folder, [{ name: 'odd', weir: weir('Odd', { surprise: true }) }]);
  writeFileSync(file, JSON.stringify({ plugins: ['odd', 'absent'], migrations: 'none' }));
  const faults = faultsOf(file);
  t.ok(faults.some((fault) => fault.startsWith('odd: manifest')));
  t.ok(faults.some((fault) => fault.includes('plugin absent is named in platform.json but not installed')));
});
