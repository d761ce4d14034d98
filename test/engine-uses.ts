import path from 'node:path';

/** What was shown in one test file on one container engine. */
export type EngineUse = {
  kind: string;
  /** The tests that passed on it. */
  tests: number;
  /** Why the machine can have no such engine; nothing was shown on it then. */
  missing: string | undefined;
};

const COMMENT = /^# engine=(\S+)(?: missing: (.+))?$/m;

/** The comment of TAP by which a test, or a whole file, says which engine it runs on, or why it cannot have it. */
export function engineComment(kind: string, missing?: string): string {
  return `engine=${kind}${missing === undefined ? '' : ` missing: ${missing}`}`;
}

/** Reads such a comment; undefined when it is another. */
export function readEngineComment(line: string): Pick<EngineUse, 'kind' | 'missing'> | undefined {
  const [, kind, missing] = COMMENT.exec(line) ?? [];
  return kind === undefined ? undefined : { kind, missing };
}

/** One line for each engine: how many tests passed on it, in which files, and which files could not have it, and why. */
export function engineLines(results: readonly { file: string; engines: readonly EngineUse[] }[]): string[] {
  const uses = results.flatMap(({ file, engines }) =>
    engines.map((use) => ({ ...use, about: path.basename(file, '.test.ts') })),
  );
  const among = (some: typeof uses) => [...new Set(some.map(({ about }) => about))].sort().join(', ');
  return [...Map.groupBy(uses, ({ kind }) => kind)].sort().map(([kind, all]) => {
    const shown = all.filter(({ tests }) => tests > 0);
    const tests = shown.reduce((sum, use) => sum + use.tests, 0);
    const missed = Map.groupBy(all, ({ missing }) => missing);
    missed.delete(undefined);
    const parts = [
      `tests passed: ${tests}${tests > 0 ? ` (${among(shown)})` : ''}`,
      ...[...missed].map(([reason, some]) => `skipped: ${among(some)} (${reason})`),
    ];
    return `${kind} engine: ${parts.join('; ')}`;
  });
}
