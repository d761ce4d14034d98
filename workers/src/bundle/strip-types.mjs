// Plain JavaScript: the bundler loads this file by its path.
import { stripTypeScriptTypes } from 'node:module';

/**
 * A loader of the bundler that takes the types out of workflow code as Node itself does for all of ours. The compiler that the
 * bundler has by itself unpacks native code into the user's folder and runs it there, which a hardened worker may not.
 */
export default function stripTypes(source) {
  return stripTypeScriptTypes(source);
}
