/** A date with a time as YAML writes it: one-digit parts, blanks and a missing offset are allowed (yaml.org/type/timestamp). */
const DATE_TIME =
  /^(\d{4})-(\d\d?)-(\d\d?)(?:[Tt]|[ \t]+)(\d\d?):(\d\d):(\d\d)(\.\d*)?(?:[ \t]*(?:(Z)|([-+])(\d\d?)(?::(\d\d))?))?$/;

/**
 * The ISO 8601 text of an unquoted YAML datetime: `T` between the parts, two digits each, the offset that was written and
 * none that was not. Text that is no datetime of the calendar is answered as it is, and so is a date, which is ISO 8601
 * already.
 */
export function isoTimestamp(text: string): string {
  const found = DATE_TIME.exec(text);
  if (!found) return text;
  const [year = '', month = '', day = '', hour = '', minute = '', second = ''] = found.slice(1, 7);
  const [fraction = '', utc = '', sign = '', offsetHour = '', offsetMinute = '00'] = found.slice(7);
  if (!isCalendarDay(Number(year), Number(month), Number(day)) || Number(hour) > 23 || Number(offsetHour) > 23)
    return text;
  if ([minute, second, offsetMinute].some((part) => Number(part) > 59)) return text;
  const date = [year, ...[month, day].map(twoDigits)].join('-');
  const offset = sign === '' ? utc : `${sign}${twoDigits(offsetHour)}:${offsetMinute}`;
  return `${date}T${twoDigits(hour)}:${minute}:${second}${fraction === '.' ? '' : fraction}${offset}`;
}

const twoDigits = (part: string): string => part.padStart(2, '0');

/** The calendar repeats every 400 years, and `Date` reads years below 100 as 19xx. */
function isCalendarDay(year: number, month: number, day: number): boolean {
  const date = new Date(Date.UTC(2000 + (year % 400), month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}
