import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { Writable } from 'node:stream';
import stringWidth from 'string-width';
import t from 'tap';
import { until } from '../../test/until.ts';
import { CliError } from '../src/cli-error.ts';
import { nextSteps } from '../src/dev/demo/next-steps.ts';
import { leaveRunning } from '../src/dev/dev-up.ts';
import type { DevState } from '../src/dev/folder/state.ts';
import { reporter } from '../src/dev/parts/reporter.ts';
import { NARROW } from '../src/output/fit.ts';
import { commandLine, ending } from './command-line.ts';

/** A stream that keeps what is written, as a terminal of 80 columns when asked. */
function screen(isTTY: boolean) {
  const parts: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      parts.push(String(chunk));
      done();
    },
  });
  return { stream: Object.assign(stream, { isTTY, columns: NARROW }), text: () => parts.join('') };
}

t.test('a port that is taken or out of range → refused before anything starts, naming the variable', async (t) => {
  const { weir, root } = commandLine(t);
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  t.teardown(() => holder.close());
  const { port } = holder.address() as AddressInfo;
  const taken = await weir(`dev up --port ${port}`);
  t.match(taken, {
    code: 5,
    stderr: new RegExp(`Port ${port} \\(WEIR_HTTP_PORT\\) is in use.*\\nhint: weir dev up --port`),
  });
  for (const value of ['99999', 'http', '-1', '']) {
    const refused = await weir('dev up', { env: { WEIR_HTTP_PORT: value } });
    t.match(refused, { code: 2, stderr: /WEIR_HTTP_PORT must be a whole number from 0 to 65535/ }, value);
  }
  t.match(await weir('dev up', { env: { IDP_URL: 'https://idp.example' } }), { code: 2, stderr: /IDP_ISSUER/ });
  t.notOk(existsSync(path.join(root, '.weir')), 'nothing was made');
});

t.test('a part that starts → its running line on a terminal with its seconds, none in a pipe', async (t) => {
  const terminal = screen(true);
  const { promise: started, resolve } = Promise.withResolvers<void>();
  const report = reporter(terminal.stream, false);
  const during = report.during('worker '.repeat(20), started);
  await until('the running line', async () => /worker .*…/.test(terminal.text()));
  report.line('a line above it');
  resolve();
  await during;
  const frames = terminal.text().split('\r\u001b[2K');
  t.equal(frames.at(-1), '', 'the line goes with its part');
  t.ok(
    frames.some((frame) => frame === 'a line above it\n'),
    'other lines stand by themselves',
  );
  for (const frame of frames) t.ok(stringWidth(frame) < NARROW, frame);

  const pipe = screen(false);
  await reporter(pipe.stream, false).during('worker', Promise.resolve());
  t.equal(pipe.text(), '');
});

t.test('a demo that fails → the platform stays up and the error is told; --once and Ctrl-C still end it', async (t) => {
  const { stream, text } = screen(false);
  const failure = new CliError('failed', 'The sync failed.', { hint: 'weir sources sync vega -w' });
  const options = { dataDir: '', demo: true, once: false, fresh: false, printTimings: false };
  leaveRunning(failure, options, reporter(stream, false));
  t.match(
    text(),
    /demo failed; everything else runs\n {4}error: The sync failed\.\n {4}hint: weir sources sync vega -w/,
  );
  const thrown = (error: Error, once: boolean) => () =>
    leaveRunning(error, { ...options, once }, reporter(stream, false));
  t.throws(thrown(failure, true), failure);
  t.throws(thrown(new CliError('interrupted', 'Interrupted.'), false), ending('interrupted'));
});

t.test('the last screen → what to do next, the pages of the workflow engine, and no password', async (t) => {
  const state = {
    ...{ docs_url: 'http://127.0.0.1:8080/docs', ui_url: 'http://127.0.0.1:8080' },
    workflow_engine: { host: '127.0.0.1', port: 7233, namespace: 'default', ui_url: 'http://127.0.0.1:8233' },
  } as DevState;
  const lines = nextSteps(state, true);
  for (const line of lines) t.ok(stringWidth(line) <= NARROW, line);
  t.match(lines.join('\n'), /your turn +\.\/weir load my\.csv/);
  t.match(lines.join('\n'), /workflows +http:\/\/127\.0\.0\.1:8233/);
  t.match(lines.at(-1), /Open http:\/\/127\.0\.0\.1:8080$/);
  t.notMatch(lines.join('\n'), /python3|postgresql/);
});
