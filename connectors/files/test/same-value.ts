/** Sign, digits and power of ten of a number's text: equal for equal numbers. */
function exact(text: string): string {
  const match = /^\+?(-?)([0-9]*)\.?([0-9]*)(?:[eE]([-+]?[0-9]+))?$/.exec(text);
  if (match === null) return `no number: ${text}`;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - kept.length);
  return kept === '' ? '0' : `${sign}${kept}e${power}`;
}

/** Whether a whole number is exactly a double, though the double prints fewer digits. */
const isOwnSize = (value: string, text: string) =>
  /^-?[0-9]+$/.test(text) && BigInt(text) === BigInt(Number(text)) && Number(value) === Number(text);

const ORDERS = ['ymd', 'mdy', 'dmy'] as const;

/** The day that a text says when its figures are in that order, as ISO; undefined where there is none. */
function dayIn(order: string, text: string): string | undefined {
  const parts = /^([0-9]+)([-/.])([0-9]+)\2([0-9]+)$/.exec(text);
  if (parts === null) return undefined;
  const figures = [parts[1], parts[3], parts[4]] as string[];
  const of = (letter: string) => figures[order.indexOf(letter)] ?? '';
  if (of('y').length !== 4) return undefined;
  const iso = `${of('y')}-${of('m').padStart(2, '0')}-${of('d').padStart(2, '0')}`;
  const time = new Date(`${iso}T00:00:00Z`);
  return Number.isNaN(time.getTime()) || !time.toISOString().startsWith(iso) ? undefined : iso;
}

const splitTime = (text: string) => /^(\S+?)(?:[T ](.*))?$/.exec(text);
/** A time of day without the zeros that it may be written with. */
const clock = (text: string) =>
  (/^\d\d:\d\d$/.test(text) ? `${text}:00` : text).replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');

/** Whether a moment without zone is the only one that the text can mean among those of its column. */
function sameMoment(value: string, text: string, column: readonly string[]): boolean {
  const days = column.map((one) => splitTime(one)?.[1] ?? '');
  const orders = ORDERS.filter((order) => days.every((one) => dayIn(order, one) !== undefined));
  const [order, ...others] = orders;
  if (order === undefined || others.length > 0) return false;
  const [, day = '', time = ''] = splitTime(text) ?? [];
  const read = dayIn(order, day);
  return value === (time === '' ? read : `${read} ${clock(time)}`);
}

function sameInstant(value: string, text: string): boolean {
  const zoned = /^(.*?)(\.\d+)?(Z|[+-]\d\d(?::?\d\d)?)$/;
  const [, at = '', fraction = '', zone = ''] = zoned.exec(text) ?? [];
  const [, own = '', ownFraction = ''] = zoned.exec(value) ?? [];
  const offset = zone === 'Z' ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(3).replace(':', '') || '00'}`;
  const same = Date.parse(`${at.replace(' ', 'T')}${offset}`) === Date.parse(`${own.replace(' ', 'T')}Z`);
  return zone !== '' && same && clock(`0${fraction}`) === clock(`0${ownFraction}`);
}

/** Whether a value of a table is the one that was written, among the texts of its column that are values. */
export function sameValue(type: string, value: string | null, text: string, column: readonly string[]): boolean {
  if (type === 'string') return value === text;
  const inner = text.replace(/^ +| +$/g, '');
  if (text === '') return value === null;
  if (value === null) return false;
  switch (type) {
    case 'boolean':
      return inner.toLowerCase() === value;
    case 'date':
    case 'timestamp':
      return sameMoment(value, inner, column);
    case 'timestamptz':
      return sameInstant(value, inner);
    case 'time':
      return clock(value) === clock(inner);
    case 'double':
      return exact(value) === exact(inner) || isOwnSize(value, inner);
    default:
      return exact(value) === exact(inner);
  }
}
