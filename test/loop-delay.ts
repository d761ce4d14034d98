import { monitorEventLoopDelay } from 'node:perf_hooks';

/**
 * Loaded before a program by `--import`: answers the message `loop-delay` of its parent with the longest time in
 * milliseconds that the event loop was kept from its timers since the message before.
 */
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
process.on('message', (message) => {
  if (message !== 'loop-delay') return;
  process.send?.({ longestMs: delay.max / 1e6 });
  delay.reset();
});
