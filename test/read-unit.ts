/** What a unit of systemd says in its section `[Service]`: each directive with its values in order; an empty one takes back those before. */
export type Service = ReadonlyMap<string, readonly string[]>;

/** What stands for the specifiers of a unit: `%i`, its instance, and `%d`, the folder of its credentials. */
export type Specifiers = Readonly<Record<'i' | 'd', string>>;

/** Reads a unit as systemd does, for the little of the format that ours use. Throws for a specifier that is not given. */
export function readService(unit: string, specifiers: Specifiers): Service {
  const service = new Map<string, string[]>();
  let section = '';
  for (const line of unit.split('\n')) {
    if (/^\s*(?:[#;]|$)/.test(line)) continue;
    section = /^\[(.+)\]$/.exec(line)?.[1] ?? section;
    const [, name, value = ''] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (section !== 'Service' || name === undefined) continue;
    service.set(name, value === '' ? [] : [...(service.get(name) ?? []), expanded(value, specifiers)]);
  }
  return service;
}

function expanded(value: string, specifiers: Specifiers): string {
  return value.replaceAll(/%(.)/g, (whole, letter: string) => {
    if (letter === 'i' || letter === 'd') return specifiers[letter];
    throw new Error(`the specifier ${whole} is not known`);
  });
}

/** The words of all values of a directive, such as a list of paths. */
export function wordsOf(service: Service, name: string): string[] {
  return (service.get(name) ?? []).flatMap((value) => value.split(/\s+/));
}

/** The one value of a directive; undefined when it is not there or was taken back. */
export function lastOf(service: Service, name: string): string | undefined {
  return service.get(name)?.at(-1);
}

/** Whether a directive is `yes`. */
export function isOn(service: Service, name: string): boolean {
  return lastOf(service, name) === 'yes';
}
