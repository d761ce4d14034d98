import { isPlainObject } from './manifest/resolve-refs.ts';

/** Shorter texts are not looked for: they are in everything. */
const MIN_CHARS = 4;
const MASK = '****';

/** The texts of a configuration that its specification calls secret, by the names of the members, in any branch. */
export function secretTexts(specification: unknown, config: unknown): string[] {
  const names = new Set<string>();
  const look = (schema: unknown): void => {
    if (Array.isArray(schema)) schema.forEach(look);
    if (!isPlainObject(schema)) return;
    for (const [name, held] of Object.entries(schema)) {
      if (isPlainObject(held) && (held.airbyte_secret === true || held.type === 'password')) names.add(name);
      look(held);
    }
  };
  look(specification);
  const texts: string[] = [];
  const collect = (value: unknown, isSecret: boolean): void => {
    if (typeof value === 'string' && isSecret) texts.push(value);
    if (Array.isArray(value)) for (const item of value) collect(item, isSecret);
    if (!isPlainObject(value)) return;
    for (const [name, held] of Object.entries(value)) collect(held, isSecret || names.has(name));
  };
  collect(config, false);
  return texts;
}

/** Masks secrets in a text: as they are, in addresses, in JSON and in base64. */
export function maskerOf(secrets: Iterable<string>): (text: string) => string {
  const forms = [...new Set(secrets)]
    .filter((secret) => secret.length >= MIN_CHARS)
    .flatMap((secret) => [
      secret,
      encodeURIComponent(secret),
      encodeURIComponent(secret).replaceAll('%20', '+'),
      JSON.stringify(secret).slice(1, -1),
      Buffer.from(secret).toString('base64'),
    ])
    .toSorted((a, b) => b.length - a.length);
  return (text) => forms.reduce((masked, form) => masked.replaceAll(form, MASK), text);
}
