/** A date of the proleptic Gregorian calendar; the year before 1 is 0. */
export interface CalendarDate {
  readonly year: number;
  /** From 1 to 12. */
  readonly month: number;
  readonly day: number;
}

const DAYS_OF_400_YEARS = 146_097;
/** From the first of March of the year 0, on which leap days are the last of their years, to 1970-01-01. */
const DAYS_TO_1970 = 719_468;

/** Days since 1970-01-01 of a date (H. Hinnant, "chrono-Compatible Low-Level Date Algorithms", `days_from_civil`). */
export function daysOfDate({ year, month, day }: CalendarDate): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * DAYS_OF_400_YEARS + dayOfEra - DAYS_TO_1970;
}

/** The date of so many days since 1970-01-01, the inverse of `daysOfDate` (`civil_from_days` of the same source). */
export function dateOfDays(days: number): CalendarDate {
  const shifted = days + DAYS_TO_1970;
  const era = Math.floor(shifted / DAYS_OF_400_YEARS);
  const dayOfEra = shifted - era * DAYS_OF_400_YEARS;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const fromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const month = fromMarch + (fromMarch < 10 ? 3 : -9);
  const day = dayOfYear - Math.floor((153 * fromMarch + 2) / 5) + 1;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };
}
