import t from 'tap';
import { kept } from '../crash/kept.ts';

/** Starts servers that are none; `running` has the names of those that were not stopped. */
function fakeServers() {
  const running = new Set<string>();
  const start = (name: string) => {
    running.add(name);
    return { name, port: 5432, stop: async () => running.delete(name) };
  };
  return { running, start };
}

t.test('a server that does not start leaves none of those that were started before it', async (t) => {
  const { running, start } = fakeServers();
  const ends: (() => unknown)[] = [];
  const collector = { teardown: (end: () => unknown) => ends.push(end) };
  await kept(collector, async () => start('one'));
  const failing = kept(collector, async (): Promise<ReturnType<typeof start>> => {
    throw new Error('it does not start');
  });
  await t.rejects(failing, { message: 'it does not start' });
  t.strictSame([...running], ['one']);
  for (const end of ends.toReversed()) await end();
  t.strictSame([...running], [], 'and it has gone with the test');
});

t.test('a server is started again where it was, and that start of it goes with the test', async (t) => {
  const { running, start } = fakeServers();
  const ports: (number | undefined)[] = [];
  await t.test('a test', async (t) => {
    const server = await kept(t, async (port) => {
      ports.push(port);
      return start(port === undefined ? 'first' : 'again');
    });
    await server.now.stop();
    await server.restart();
    t.equal(server.now.name, 'again');
  });
  t.strictSame([ports, [...running]], [[undefined, 5432], []]);
});
