import { bootPlatform } from '@weir/kernel/boot';
import { conformance, testDatabase, testIssuer } from '@weir/kernel/testing';
import * as tools from '@weir/migrations';
import { pino } from 'pino';
import t from 'tap';
import { platformEnvironment, platformFile } from '../platform.ts';

t.test('every plugin of this repository keeps the rules that are published for plugins', async (t) => {
  const database = await testDatabase(t, tools);
  const environment = platformEnvironment({ database, issuer: await testIssuer(t), folder: t.testdir() });
  const platform = await bootPlatform({ platformFile, environment, program: 'test', log: pino({ level: 'silent' }) });
  t.teardown(() => platform.stop());
  t.not(platform.plugins.length, 0);
  const beside = platform.plugins.map(({ manifest }) => manifest);
  for (const { manifest, plugin, registration } of platform.plugins) {
    const { packageName: _name, version: _version, description: _description, ...declared } = manifest;
    conformance(t, { manifest: declared, plugin, registration, beside });
  }
});
