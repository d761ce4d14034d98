import { readFileSync } from 'node:fs';
import { type TObject, Type } from '@sinclair/typebox';
import { Secret } from '@weir/vault';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { Refusal } from './refusal.ts';

/** A settings schema: environment variable names to TypeBox schemas; `secret: true` wraps the value in `Secret`. */
export type SettingsSchema = TObject;

/** Who declares a settings schema: the kernel or a plugin. */
export interface SettingsOwner {
  owner: string;
  schema: SettingsSchema;
  /** What no schema can say, asked with the values as far as they are there; answers faults, without any value. */
  check?(values: Readonly<Record<string, unknown>>): Iterable<string>;
}

/** The values of all owners, and the places that they name: of each setting whose `format` is a file or folder, of each `<NAME>_FILE`. */
export interface SettingsRead {
  values: Readonly<Record<string, unknown>>;
  places: Readonly<Record<string, string>>;
}

const PLACE_FORMATS = ['file', 'folder'];

export type Environment = Readonly<Record<string, string | undefined>>;

/** A setting whose value must not be printed; it arrives as a `Secret`. */
export const SecretSetting = (options: object = {}) =>
  Type.Unsafe<Secret>({ type: 'string', secret: true, ...options });

/**
 * Reads every owner's settings from the environment once. Each variable that does not end in `_FILE` has a form
 * `<NAME>_FILE` that names a file holding the value. Returns each owner's frozen values; throws one `Refusal` that lists all faults of all owners,
 * without any value. `checkAll` is asked for more of them.
 */
export function readSettings(
  owners: readonly SettingsOwner[],
  environment: Environment,
  checkAll?: (read: SettingsRead) => readonly string[],
): Map<string, Record<string, unknown>> {
  const faults: string[] = [...sharedFaults(owners)];
  const values = new Map<string, Record<string, unknown>>();
  const places: Record<string, string> = {};
  // What compiles a schema refuses what is none: to compile the schema of schemas before it takes longer than all that.
  const how = { coerceTypes: true, useDefaults: true, allErrors: true, validateSchema: false } as const;
  const ajv = new Ajv({ ...how, keywords: ['secret'] });
  addFormats.default(ajv);
  for (const format of PLACE_FORMATS) ajv.addFormat(format, true);
  for (const { owner, schema, check } of owners) {
    const raw: Record<string, unknown> = {};
    for (const name of Object.keys(schema.properties)) {
      const value = readVariable(name, environment, faults);
      if (value !== undefined) raw[name] = value;
      const file = environment[`${name}_FILE`];
      if (file !== undefined && !name.endsWith('_FILE')) places[`${name}_FILE`] = file;
    }
    const validate = ajv.compile(schema);
    if (!validate(raw)) {
      for (const error of validate.errors ?? []) faults.push(describe(owner, error));
    }
    faults.push(...(check?.(raw) ?? []));
    for (const [name, property] of Object.entries(schema.properties)) {
      if (PLACE_FORMATS.includes(String(property.format)) && raw[name] !== undefined) places[name] = String(raw[name]);
      if (property.secret === true && typeof raw[name] === 'string') raw[name] = new Secret(raw[name]);
    }
    values.set(owner, Object.freeze(raw));
  }
  faults.push(...(checkAll?.({ values: Object.assign({}, ...values.values()), places }) ?? []));
  // Owners that share a variable find the same fault.
  if (faults.length > 0) throw new Refusal('configuration refused', [...new Set(faults)]);
  return values;
}

/** Two owners may share a variable only when they declare it alike. */
function* sharedFaults(owners: readonly SettingsOwner[]): Iterable<string> {
  const seen = new Map<string, { owner: string; text: string }>();
  for (const { owner, schema } of owners) {
    for (const [name, property] of Object.entries(schema.properties)) {
      const text = JSON.stringify(property);
      const earlier = seen.get(name);
      if (earlier && earlier.text !== text) yield `${name} is declared differently by ${earlier.owner} and ${owner}`;
      seen.set(name, { owner, text });
    }
  }
}

function readVariable(name: string, environment: Environment, faults: string[]): string | undefined {
  const direct = environment[name];
  const file = name.endsWith('_FILE') ? undefined : environment[`${name}_FILE`];
  if (direct !== undefined && file !== undefined) faults.push(`${name} and ${name}_FILE are both set; set one`);
  if (file === undefined) return direct;
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (cause) {
    faults.push(`${name}_FILE cannot be read (${(cause as NodeJS.ErrnoException).code ?? 'error'})`);
    return undefined;
  }
}

function describe(owner: string, error: { instancePath: string; keyword: string; params: object }): string {
  const missing = (error.params as { missingProperty?: string }).missingProperty;
  const name = missing ?? error.instancePath.slice(1);
  if (missing !== undefined) return `${name} is required by ${owner}`;
  const allowed = (error.params as { allowedValues?: unknown[] }).allowedValues;
  const rule = allowed ? `must be one of ${allowed.join(', ')}` : `does not fit the rule ${error.keyword}`;
  return `${name} ${rule} (${owner})`;
}
