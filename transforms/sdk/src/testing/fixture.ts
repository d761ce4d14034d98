/** Rows of an input, and the types of its columns in DuckDB's words. */
export interface FixtureInput {
  readonly columns: Readonly<Record<string, string>>;
  readonly rows: readonly (readonly unknown[])[];
}

/** A case of a pattern: these parameters over these inputs give these rows, in any order. */
export interface Fixture {
  readonly name: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly inputs: Readonly<Record<string, FixtureInput>>;
  readonly expect: {
    readonly columns: readonly string[];
    readonly rows: readonly (readonly unknown[])[];
    /** The checks that are broken, and by how many rows; none unless given. */
    readonly broken_checks?: Readonly<Record<string, number>>;
  };
}

/** Reads a fixture; throws when a member is missing. */
export function fixtureOf(text: string, file: string): Fixture {
  const fixture = JSON.parse(text) as Fixture;
  for (const member of ['name', 'parameters', 'inputs', 'expect'] as const) {
    if (fixture[member] === undefined) throw new Error(`fixtures/${file} has no ${member}`);
  }
  return fixture;
}
