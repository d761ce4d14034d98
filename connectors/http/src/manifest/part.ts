import { fault } from '../fault.ts';
import { TemplateError } from '../template/lex.ts';
import { RenderError } from '../template/render-error.ts';
import { compileTemplate, conditionHolds, type Template } from '../template/template.ts';
import { type Dictionary, isDictionary, type Value } from '../template/value.ts';
import { COMPONENTS, IGNORED_FIELDS } from './components.ts';
import { isPlainObject, type Origins, type Plain, type PlainObject, pointerTo } from './resolve-refs.ts';

/** A component of a loaded manifest: its type is known, its fields are of it, and its parts are too. */
export type Part = {
  readonly type: string;
  /** Where it is written, as a JSON pointer into the manifest. */
  readonly at: string;
  readonly fields: PlainObject;
  readonly parameters: Dictionary;
  readonly parts: ReadonlyMap<string, readonly Part[]>;
};

/** What every expression can name. */
const EVERYWHERE = ['config', 'parameters'];

/** Reads a component, and all in it. `manifest_unsupported` for what is not in the table, `manifest_invalid` for the rest. */
export function readPart(
  value: Plain,
  at: string,
  allowed: readonly string[],
  context: { readonly origins: Origins; readonly parameters: PlainObject },
): Part {
  if (!isPlainObject(value))
    throw fault('manifest_invalid', { at, what: `a component is expected: ${allowed.join(', ')}` });
  const origin = context.origins.get(value) ?? at;
  const type = typeof value.type === 'string' ? value.type : (allowed[0] ?? '');
  const component = COMPONENTS[type];
  if (component === undefined || !Object.hasOwn(COMPONENTS, type) || !allowed.includes(type))
    throw fault('manifest_unsupported', { at: origin, what: `${shown(type)} is not interpreted here` });
  const own = isPlainObject(value.$parameters) ? value.$parameters : {};
  const parameters: PlainObject = { ...context.parameters, ...own };
  const known = [...component.fields, ...Object.keys(component.parts ?? {})];
  const fields = withParameters(value, parameters, known);
  for (const name of Object.keys(value)) {
    if (!known.includes(name) && !IGNORED_FIELDS.has(name))
      throw fault('manifest_unsupported', { at: pointerTo(origin, name), what: `${type} has no such field here` });
  }
  const missing = component.required?.find((name) => fields[name] === undefined);
  if (missing !== undefined) throw fault('manifest_invalid', { at: origin, what: `${missing} is missing` });
  const parts = new Map<string, Part[]>();
  for (const [name, types] of Object.entries(component.parts ?? {})) {
    const held = fields[name];
    if (held === undefined || held === null) continue;
    const { [name]: _, ...inherited } = parameters;
    const place = pointerTo(origin, name);
    const read = (item: Plain, where: string) => readPart(item, where, types, { ...context, parameters: inherited });
    parts.set(
      name,
      Array.isArray(held) ? held.map((item, index) => read(item, pointerTo(place, index))) : [read(held, place)],
    );
  }
  return { type, at: origin, fields, parameters: parameters as Dictionary, parts };
}

const shown = (type: string) => (/^[A-Za-z]{1,60}$/.test(type) ? type : 'a component of an unknown type');

/** The fields of a component; what is absent or empty is taken from the parameters of that name. */
function withParameters(value: PlainObject, parameters: PlainObject, known: readonly string[]): PlainObject {
  const taken = known.filter((name) => isEmpty(value[name]) && parameters[name] !== undefined);
  return { ...value, ...Object.fromEntries(taken.map((name) => [name, parameters[name] as Plain])) };
}

const isEmpty = (value: Plain | undefined) => value === undefined || value === null || value === '' || value === false;

export const partIn = (part: Part, name: string): Part | undefined => part.parts.get(name)?.[0];
export const partsIn = (part: Part, name: string): readonly Part[] => part.parts.get(name) ?? [];
export const placeOf = (part: Part, name: string): string => pointerTo(part.at, name);

/** A template that knows its place: what cannot be rendered is `template_failed` there. */
export function templateAt(source: string, at: string, parameters: Dictionary, names: readonly string[]): Template {
  const template = compiled(source, at, [...EVERYWHERE, ...names]);
  const within = <T>(apply: (scope: Dictionary) => T) => {
    return (scope: Dictionary): T => {
      try {
        return apply({ ...scope, parameters });
      } catch (error) {
        if (error instanceof RenderError) throw fault('template_failed', { at, what: error.message });
        throw error;
      }
    };
  };
  if (template.isPlain) return template;
  return { ...template, value: within(template.value), text: within(template.text), raw: within(template.raw) };
}

function compiled(source: string, at: string, names: readonly string[]): Template {
  try {
    return compileTemplate(source, names);
  } catch (error) {
    if (error instanceof TemplateError)
      throw fault('manifest_invalid', { at, what: `character ${error.at + 1}: ${error.message}` });
    throw error;
  }
}

/** The template in a field; undefined when the field is absent. Numbers and booleans are taken as their text. */
export function templateIn(part: Part, name: string, names: readonly string[] = []): Template | undefined {
  const value = part.fields[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'object')
    throw fault('manifest_invalid', { at: placeOf(part, name), what: 'a text is expected' });
  return templateAt(
    typeof value === 'boolean' ? (value ? 'True' : 'False') : String(value),
    placeOf(part, name),
    part.parameters,
    names,
  );
}

/** The text of a field that is known from the configuration alone. */
export function textIn(part: Part, name: string, config: Dictionary): string | undefined {
  const text = templateIn(part, name)?.text({ config });
  return text === '' ? undefined : text;
}

/** A whole number of a field; `config_invalid` when its expression gives none. */
export function numberIn(part: Part, name: string, config: Dictionary): number | undefined {
  const value = templateIn(part, name)?.value({ config });
  if (value === undefined || value === '' || value === null) return undefined;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  const number = typeof value === 'object' && 'rawJSON' in value ? Number(value.rawJSON) : Number.NaN;
  if (Number.isFinite(number)) return number;
  throw fault('config_invalid', { at: placeOf(part, name), what: 'a number is expected' });
}

export const flagIn = (part: Part, name: string, config: Dictionary): boolean => {
  const template = templateIn(part, name);
  return template !== undefined && conditionHolds(template.value({ config }));
};

/** A condition in a field; always true when there is none. */
export function conditionIn(part: Part, name: string, names: readonly string[]) {
  const template = templateIn(part, name, names);
  if (template === undefined || template.source === '') return undefined;
  return (scope: Dictionary): boolean => conditionHolds(template.value(scope));
}

type Given = { readonly part: Part; readonly names: readonly string[]; readonly isText: boolean };
type Deep = (scope: Dictionary) => Value;

/** Whatever a field holds, with every text in it as a template; members that give nothing are left out. */
export function valueIn(part: Part, name: string, names: readonly string[]): Deep | undefined {
  const value = part.fields[name];
  if (value === undefined || value === null) return undefined;
  return deepTemplate(value, placeOf(part, name), { part, names, isText: false });
}

/** The same where all is sent as text, as in a query: what expressions give is not read as numbers, but lists are. */
export function textsIn(part: Part, name: string, names: readonly string[]): Deep | undefined {
  const value = part.fields[name];
  if (value === undefined || value === null) return undefined;
  return deepTemplate(value, placeOf(part, name), { part, names, isText: true });
}

function deepTemplate(value: Plain, at: string, given: Given): Deep {
  const { part, names, isText } = given;
  if (typeof value === 'string') {
    const template = templateAt(value, at, part.parameters, names);
    // An expression that gives nothing is absent; a text that is empty is a text.
    if (template.isPlain) return isText ? () => value : template.value;
    return (scope) => {
      const made = template.value(scope);
      if (made === '' || made === null) return null;
      return isText && !Array.isArray(made) ? template.raw(scope) : made;
    };
  }
  if (Array.isArray(value)) {
    const items = value.map((item: Plain, index) => deepTemplate(item, pointerTo(at, index), given));
    return (scope) => items.map((item) => item(scope));
  }
  if (!isPlainObject(value)) return () => value as Value;
  const members = Object.entries(value).map(([name, held]) => {
    const place = pointerTo(at, name);
    return [templateAt(name, place, part.parameters, names), deepTemplate(held, place, given)] as const;
  });
  return (scope) =>
    Object.fromEntries(
      members.map(([name, held]) => [name.raw(scope), held(scope)] as const).filter(([, held]) => held !== null),
    );
}

/** The members of a value that is a dictionary; none of any other. */
export const membersOf = (value: Value | undefined): Dictionary =>
  value !== undefined && isDictionary(value) ? value : {};
