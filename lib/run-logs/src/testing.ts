/** What tests of those who keep logs need: an index in memory, a fake of Loki's API, and the suite that every store passes. */
export { type FakeLoki, fakeLoki } from './testing/fake-loki.ts';
export { memoryIndex } from './testing/memory-index.ts';
export { type LogSuite, newRun, runLogConformance } from './testing/run-log-conformance.ts';
