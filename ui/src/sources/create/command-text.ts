import { stringify } from 'yaml';
import type { Composed } from '../../form/compose-config.ts';

/** What a form of a source says. */
export interface SaidSource extends Composed {
  name: string;
  patternId: string;
}

const PLAIN = /^[\w./:@%+=,-]+$/;
const END = 'YAML';

/** The command that creates the same source, as a shell takes it. Credentials are named, and never said. */
export function commandText({ name, patternId, config, credentials = {} }: SaidSource): string {
  const fields = Object.entries(credentials).map(([pointer, value]) => {
    const field = pointer.slice(1).replaceAll('/', '.');
    const flag = typeof value === 'string' ? '--field' : '--json-field';
    return `${flag} ${quoted(`${field}=env:${variableOf(pointer)}`)}`;
  });
  const head = `weir sources create --pattern ${quoted(patternId)} --name ${quoted(name)}`;
  const file = stringify(config);
  const end = endOf(file);
  const lines = [head, ...fields, `--discover -w -f - <<'${end}'`].join(' \\\n  ');
  return `${lines}\n${file}${end}`;
}

const quoted = (text: string) => (PLAIN.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

const variableOf = (pointer: string) => (pointer.split('/').at(-1) ?? '').replace(/\W/g, '_').toUpperCase();

/** A last line that no line of the text is. */
function endOf(text: string): string {
  const lines = new Set(text.split('\n').map((line) => line.trim()));
  let end = END;
  while (lines.has(end)) end += '_';
  return end;
}
