import { createRequire, Module } from 'node:module';
import type Docker from 'dockerode';

/** What of the library, and of its own, is not for engines behind a socket: the session of a build, by gRPC, and SSH. */
const SELDOM = [
  ['dockerode', './session'],
  ['docker-modem', './ssh'],
] as const;

/**
 * The library that speaks with engines. It would load gRPC and SSH at once, for more processor time and memory than all the rest
 * of it takes, in every process of a sync; here each is loaded when it is first called, which we never do.
 */
export function engineLibrary(): typeof Docker {
  const require = createRequire(import.meta.url);
  for (const [owner, part] of SELDOM) {
    const own = createRequire(createRequire(require.resolve('dockerode')).resolve(owner));
    loadLater(own, part);
  }
  return require('dockerode');
}

/** Has a CommonJS module that exports one function loaded by its first call; one that is loaded, or is not there, is left as it is. */
export function loadLater(require: NodeJS.Require, name: string): void {
  const file = pathOf(require, name);
  if (file === undefined || require.cache[file] !== undefined) return;
  const standIn = new Module(file);
  const exports = (...given: unknown[]): unknown => {
    if (require.cache[file] === standIn) delete require.cache[file];
    return require(file)(...given);
  };
  require.cache[file] = Object.assign(standIn, { filename: file, loaded: true, exports });
}

/** A later version of the library may have it elsewhere: it is loaded with the rest then. */
function pathOf(require: NodeJS.Require, name: string): string | undefined {
  try {
    return require.resolve(name);
  } catch {
    return undefined;
  }
}
