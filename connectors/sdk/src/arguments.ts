import { parseArgs } from 'node:util';

const NEEDS = { spec: [], check: ['config'], discover: ['config'], read: ['config', 'catalog'] } as const;

export type Verb = keyof typeof NEEDS;
export type Arguments = {
  readonly verb: Verb;
  readonly config: string | undefined;
  readonly catalog: string | undefined;
  readonly state: string | undefined;
};

export const USAGE =
  'usage: spec | check --config FILE | discover --config FILE | read --config FILE --catalog FILE [--state FILE]\n';

/** The command line of a connector; undefined when it is none of the four forms. */
export function parseArguments(argv: readonly string[]): Arguments | undefined {
  try {
    const file = { type: 'string' } as const;
    const options = { config: file, catalog: file, state: file };
    const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true });
    const [verb, ...more] = positionals;
    if (verb === undefined || !isVerb(verb) || more.length > 0) return undefined;
    if (NEEDS[verb].some((name) => values[name] === undefined)) return undefined;
    return { verb, config: values.config, catalog: values.catalog, state: values.state };
  } catch {
    return undefined;
  }
}

function isVerb(text: string): text is Verb {
  return Object.hasOwn(NEEDS, text);
}
