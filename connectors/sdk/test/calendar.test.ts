import fc from 'fast-check';
import t from 'tap';
import { dateOfDays, daysOfDate } from '../src/index.ts';

const MS_PER_DAY = 86_400_000;
/** As far as the platform's own calendar goes. */
const days = fc.integer({ min: -100_000_000, max: 100_000_000 });

t.test('days and dates are those of the platform, to both sides of the year 0', async () => {
  const property = fc.property(days, (count) => {
    const at = new Date(count * MS_PER_DAY);
    const date = dateOfDays(count);
    const same =
      date.year === at.getUTCFullYear() && date.month === at.getUTCMonth() + 1 && date.day === at.getUTCDate();
    return same && daysOfDate(date) === count;
  });
  fc.assert(property, { numRuns: 1_000 });
});
