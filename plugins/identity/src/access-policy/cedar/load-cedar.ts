import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const PACKAGE = '@cedar-policy/cedar-wasm/nodejs';

/** The functions of Cedar; their state is that of one instance. */
export type Cedar = typeof import('@cedar-policy/cedar-wasm/nodejs');

/**
 * An instance of Cedar of its own. A text that goes too deep breaks the instance that reads it for good, so that whoever
 * gets an exception from one must not use it again.
 */
export function loadCedar(): Cedar {
  delete require.cache[require.resolve(PACKAGE)];
  return require(PACKAGE) as Cedar;
}
