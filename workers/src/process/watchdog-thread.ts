import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { LOOP_BEATS, missedBeats, WATCHDOG_BEATS, type WatchdogFacts } from './watchdog.ts';

const STDERR = 2;

const { beats, beatMs, maxMissed } = workerData as WatchdogFacts;
const missed = missedBeats(beats, LOOP_BEATS);

setInterval(() => {
  Atomics.add(beats, WATCHDOG_BEATS, 1);
  if (missed() <= maxMissed) return;
  const seconds = Math.round((maxMissed * beatMs) / 1_000);
  // Straight to the descriptor: what console prints here goes through the loop that is stuck.
  writeSync(STDERR, `${JSON.stringify({ level: 'fatal', msg: `the event loop has not turned for ${seconds} s` })}\n`);
  process.kill(process.pid, 'SIGKILL');
}, beatMs);
