import asyncHooks from 'node:async_hooks';
import { existsSync, readFileSync, writeSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import fc from 'fast-check';
import { testSeed } from './test-seed.ts';

const STAT = '/proc/self/stat';
/** Linux counts a process's time in hundredths of a second, whatever its own clock does. */
const TICKS_PER_SECOND = 100;
/** Where utime, stime, cutime and cstime stand behind the name, which may hold blanks and brackets. */
const FIRST = 11;
const FIELDS = 4;

// Preloaded into a test file's process. Who is started with the same arguments is somebody else, and only this process is asked.
process.execArgv = process.execArgv.filter((argument) => !argument.endsWith(import.meta.url));

fc.configureGlobal({ seed: testSeed(process.env) });

// At its end it tells, as a comment of TAP, what it and all that it waited for computed.
process.once('exit', () => {
  if (!existsSync(STAT)) return;
  const stat = readFileSync(STAT, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(FIRST, FIRST + FIELDS).reduce((sum, field) => sum + Number(field), 0);
  writeSync(1, `# cpu=${ticks / TICKS_PER_SECOND}\n`);
});

/**
 * Tap follows every promise of the process to tell which test an error belongs to that nobody caught, a sixth of what a
 * test of the platform computes. Here it follows timers and sockets alone; an error that nobody caught fails the file anyway.
 */
const { createHook } = asyncHooks;
asyncHooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false } as typeof callbacks);
syncBuiltinESMExports();
