import asyncHooks from 'node:async_hooks';
import { writeSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import fc from 'fast-check';
import { countedCpuSeconds } from './file-processes.ts';
import { askForServices } from './service-requests.ts';
import { testSeed } from './test-seed.ts';
import { lastWords, waitingFor } from './until.ts';

// Preloaded into a test file's process. Who is started with the same arguments is somebody else, and only this process is asked.
process.execArgv = process.execArgv.filter((argument) => !argument.endsWith(import.meta.url));

fc.configureGlobal({ seed: testSeed(process.env) });

askForServices();

// At its end it reports, as a comment of TAP, the CPU-seconds of this process and of all that it waited for.
process.once('exit', () => {
  const seconds = countedCpuSeconds();
  if (seconds !== undefined) writeSync(1, `# cpu=${seconds.toFixed(2)}\n`);
});

// The runner sends it before it ends a file that hangs.
process.on('SIGALRM', () => {
  for (const what of waitingFor()) process.stderr.write(`    waits for ${what}\n`);
  for (const words of lastWords) void words().then((text) => process.stderr.write(text.replaceAll(/^/gm, '    ')));
});

/**
 * Tap follows every promise of the process to tell which test an error belongs to that nobody caught, a sixth of what a
 * test of the platform computes. Here it follows timers and sockets alone; an error that nobody caught fails the file anyway.
 */
const { createHook } = asyncHooks;
asyncHooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false } as typeof callbacks);
syncBuiltinESMExports();
